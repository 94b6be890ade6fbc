#include "tests/run_in_shell.hpp"
#include "tests/sources/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

namespace stoker::testing {
namespace {

using Json = nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// Three photos, and a program that trains on them for a moment.
class TorchTraining : public ::testing::Test {
 protected:
  TorchTraining() {
    folder_.make_folder("photos");
    for (const char* image : {"var_420.jpg", "var_444.jpg", "var_progressive.jpg"}) {
      std::filesystem::copy_file(std::filesystem::path(STOKER_TEST_DATA) / "jpegs" / image,
                                 folder_ / "photos" / image);
    }
  }

  ProgramResult run(const std::string& options) const {
    return run_in_shell("OMP_NUM_THREADS=1 " STOKER_TORCH_TRAINING " --photos " +
                            (folder_ / "photos").string() +
                            " --device cpu --models resnet18 --image-size 32 --batch-size 4 "
                            "--num-workers 2 --warmup 1 " +
                            options,
                        300);
  }

  /// What a run wrote as JSON.
  Json report(const std::string& options) const {
    const std::filesystem::path file = folder_ / "report.json";
    const ProgramResult result = run("--json " + file.string() + ' ' + options);
    EXPECT_EQ(result.status, 0) << result.output;
    return result.status == 0 ? Json::parse(std::ifstream(file)) : Json();
  }

 private:
  TemporaryFolder folder_;
};

void expect_measured(const Json& feed, std::size_t repetitions) {
  EXPECT_EQ(feed.at("repetitions").size(), repetitions);
  EXPECT_GT(feed.at("images_per_second").get<double>(), 0);
  EXPECT_GT(feed.at("ratio_to_synthetic").get<double>(), 0);
  for (const char* share : {"starvation", "device_idle"}) {
    EXPECT_GE(feed.at(share).get<double>(), 0);
    EXPECT_LT(feed.at(share).get<double>(), 1);
  }
  for (const Json& loss : feed.at("last_losses")) EXPECT_TRUE(std::isfinite(loss.get<double>()));
}

TEST_F(TorchTraining, MeasuresEachFeedInTurns) {
  const Json json = report("--samples 8 --steps 2 --repetitions 2");
  EXPECT_EQ(json.at("setup").at("samples_per_epoch"), 9);
  EXPECT_EQ(json.at("setup").at("device"), "cpu");
  const Json& feeds = json.at("models").at(0).at("feeds");
  for (const char* name : {"synthetic", "torch", "stoker"}) expect_measured(feeds.at(name), 2);
  EXPECT_EQ(feeds.at("synthetic").at("ratio_to_synthetic"), 1);
  EXPECT_EQ(feeds.at("torch").at("num_workers"), 2);
  EXPECT_EQ(feeds.at("stoker").at("num_workers"), 2);
  // An epoch has two batches, so that the third step belongs to another.
  EXPECT_EQ(feeds.at("stoker").at("stages").at("batches_delivered").get<int>(), 3);
}

TEST_F(TorchTraining, PrintsATable) {
  const ProgramResult result = run("--samples 8 --steps 1 --repetitions 1 --decode stoker");
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output,
              AllOf(HasSubstr("synthetic, on the device"), HasSubstr("LibTorch, stoker's decode"),
                    HasSubstr("images/s"), HasSubstr("starvation")));
}

TEST_F(TorchTraining, MeasuresOnlyWhatItIsAskedFor) {
  const Json json = report("--samples 8 --steps 1 --repetitions 1 --feeds stoker");
  const Json& feeds = json.at("models").at(0).at("feeds");
  EXPECT_EQ(feeds.size(), 1U);
  EXPECT_FALSE(feeds.at("stoker").contains("ratio_to_synthetic"));
}

TEST_F(TorchTraining, SaysWhatIsWrongWithItsOptions) {
  const auto refuses = [this](const std::string& options, const std::string& why) {
    const ProgramResult result = run("--steps 1 --repetitions 1 " + options);
    EXPECT_EQ(result.status, 1) << result.output;
    EXPECT_THAT(result.output, HasSubstr(why));
  };
  refuses("", "--samples says how many to repeat the photos to");
  refuses("--samples 8 --models resnet34", "--models takes resnet18, resnet50; not resnet34");
  refuses("--samples 8 --feeds other", "--feeds takes stoker, synthetic, torch; not other");
  refuses("--samples 8 --feeds torch --decode other", "--decode is auto");
  refuses("--samples 8 --feeds stoker --resize-on other", "--resize-on is auto, cpu or device");
}

TEST_F(TorchTraining, RefusesNumbersThatMeanNothing) {
  for (const char* option : {"--batch-size", "--warmup", "--steps", "--repetitions"}) {
    const ProgramResult result =
        run_in_shell(STOKER_TORCH_TRAINING " --photos x " + (option + std::string(" 0")));
    EXPECT_NE(result.status, 0);
    EXPECT_THAT(result.output, HasSubstr(option + std::string(": must be at least 1, not 0")));
  }
}

TEST_F(TorchTraining, RefusesAReportThatCannotBeWrittenBeforeItMeasures) {
  const ProgramResult result = run("--samples 8 --json /missing/report.json");
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.output, AllOf(HasSubstr("not_found"), HasSubstr("/missing/report.json"),
                                   Not(HasSubstr("images/s"))));
}

}  // namespace
}  // namespace stoker::testing
