#include "tests/cli/run_command.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace stoker::cli {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* small_pipeline =
    "decode | random_resized_crop(32) | random_horizontal_flip | normalize(imagenet)";

/// Two classes with three images each.
void fill_with_classes(const TemporaryFolder& folder) {
  for (const char* image : {"var_420.jpg", "var_444.jpg", "var_progressive.jpg"}) {
    folder.copy_image(image, "data/cat/" + std::string(image));
    folder.copy_image(image, "data/dog/" + std::string(image));
  }
}

/// Runs a quick benchmark on the folder's data and returns what it wrote as JSON.
nlohmann::json bench_json(const TemporaryFolder& folder, const std::vector<std::string>& more) {
  std::vector<std::string> words{"bench",  folder / "data", "--pipeline",   small_pipeline,
                                 "--json", folder / "json", "--batch-size", "4"};
  words.insert(words.end(), more.begin(), more.end());
  const auto result = run_command(words);
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_THAT(result.errors, IsEmpty()) << "no progress bar where stderr is no terminal";
  if (result.status != 0) return {};
  return nlohmann::json::parse(std::ifstream(folder / "json"));
}

void expect_measured(const nlohmann::json& contender, std::size_t repetitions) {
  EXPECT_GT(contender.at("images_per_second").get<double>(), 0);
  EXPECT_GT(contender.at("first_batch_seconds").get<double>(), 0);
  EXPECT_EQ(contender.at("repetitions").size(), repetitions);
}

/// Expects that bench fails with one message that holds all of `parts`.
void expect_failure(const std::vector<std::string>& words, const std::vector<std::string>& parts) {
  auto command = words;
  command.insert(command.begin(), "bench");
  const auto result = run_command(command);
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.output, IsEmpty());
  for (const std::string& part : parts) EXPECT_THAT(result.errors, HasSubstr(part));
}

TEST(Bench, WritesFiguresMachineAndCommandAsJson) {
  const TemporaryFolder folder;
  fill_with_classes(folder);
  const auto json = bench_json(folder, {"--repeat", "3", "--num-workers", "1", "--limit"});
  expect_measured(json.at("stoker"), 3);
  expect_measured(json.at("limit"), 3);
  EXPECT_GT(json.at("ratio").at("stoker_over_limit").get<double>(), 0);
  EXPECT_EQ(json.at("workload").at("images_per_epoch"), 18);
  EXPECT_EQ(json.at("stoker").at("wait").at("count"), 5) << "batches of the median repetition";
  EXPECT_GT(json.at("stoker").at("megabytes_per_second").get<double>(), 0);
  EXPECT_GT(json.at("stoker").at("peak_memory_bytes").get<double>(), 0);
  EXPECT_THAT(json.at("command").get<std::string>(),
              AllOf(HasSubstr("stoker bench "), HasSubstr(" --repeat 3"),
                    HasSubstr("'" + std::string(small_pipeline) + "'")));
  EXPECT_TRUE(json.at("machine").contains("cpu"));
}

TEST(Bench, PrintsATable) {
  const TemporaryFolder folder;
  fill_with_classes(folder);
  const auto result = run_command({"bench", folder / "data", "--pipeline", small_pipeline,
                                   "--repetitions", "1", "--num-workers", "0"});
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_THAT(result.output, AllOf(HasSubstr("images/s"), HasSubstr("per worker"), HasSubstr("p99"),
                                   HasSubstr("peak memory")));
}

#ifdef STOKER_HAS_TORCH
TEST(Bench, ComparesWithLibTorchsLoader) {
  const TemporaryFolder folder;
  fill_with_classes(folder);
  const auto json = bench_json(folder, {"--num-workers", "2", "--compare", "torch", "--shuffle"});
  expect_measured(json.at("torch_opencv"), 3);
  expect_measured(json.at("torch_stoker_decode"), 3);
  const auto& ratio = json.at("ratio");
  for (const char* key :
       {"stoker_over_torch_opencv", "stoker_over_torch_stoker_decode",
        "first_batch_torch_opencv_over_stoker", "first_batch_torch_stoker_decode_over_stoker"}) {
    EXPECT_GT(ratio.at(key).get<double>(), 0) << key;
  }
}
#else
TEST(Bench, SaysThatTheBuildHasNoLibTorch) {
  const TemporaryFolder folder;
  fill_with_classes(folder);
  expect_failure({folder / "data", "--pipeline", small_pipeline, "--compare", "torch"},
                 {"unsupported", "libtorch-dev"});
}
#endif

TEST(Bench, SweepsOneVariableAfterTheOtherAndMarksTheKnee) {
  const TemporaryFolder folder;
  fill_with_classes(folder);
  const auto json = bench_json(
      folder, {"--sweep", "num_workers=1,2", "--sweep", "prefetch=2,1", "--repetitions", "1"});
  const auto& sweep = json.at("sweep");
  ASSERT_EQ(sweep.size(), 2U);
  EXPECT_EQ(sweep[0].at("variable"), "num_workers");
  ASSERT_EQ(sweep[1].at("points").size(), 2U);
  EXPECT_EQ(sweep[1].at("points")[0].at("value"), 1) << "by ascending value";
  EXPECT_EQ(json.at("workload").at("num_workers"), sweep[0].at("knee"));
  EXPECT_EQ(json.at("workload").at("prefetch"), sweep[1].at("knee"));
}

TEST(Bench, TakesAFlatFolderOrAList) {
  const TemporaryFolder folder;
  const auto image = folder.copy_image("var_420.jpg", "data/a.jpg");
  EXPECT_EQ(bench_json(folder, {"--repetitions", "1"}).at("workload").at("files"), 1);
  const auto list = folder.write("list.csv", "path,label\ndata/a.jpg,3\ndata/a.jpg,4\n");
  const auto result =
      run_command({"bench", list, "--pipeline", small_pipeline, "--repetitions", "1"});
  EXPECT_EQ(result.status, 0) << result.errors;
}

TEST(Bench, RefusesDataThatIsNotThere) {
  const TemporaryFolder folder;
  expect_failure({folder / "missing"}, {"not_found", folder / "missing"});
  expect_failure({folder.string()}, {"empty_source", folder.string()});
}

TEST(Bench, RefusesAClassFolderWithoutImages) {
  const TemporaryFolder folder;
  folder.copy_image("var_420.jpg", "data/cat/a.jpg");
  folder.write("data/dog/readme.txt", "none yet");
  expect_failure({folder / "data"}, {"empty_class", "dog"});
}

TEST(Bench, NamesPathIndexAndBatchOfASampleThatFails) {
  const TemporaryFolder folder;
  folder.copy_image("var_420.jpg", "data/a.jpg");
  folder.copy_image("var_420.jpg", "data/b.jpg");
  const auto empty = folder.write("data/c.jpg", "");
  const std::vector<std::string> bench{folder / "data", "--pipeline", small_pipeline,
                                       "--batch-size", "2"};
  expect_failure(bench, {"empty_file", empty, "sample 2", "batch 1"});
  folder.write("data/c.jpg", content_of(folder / "data/a.jpg").substr(0, 2000));
  expect_failure(bench, {"truncated", empty, "sample 2", "batch 1"});
  folder.write("data/c.jpg", "no image");
  expect_failure(bench, {"unknown_format", empty, "sample 2", "batch 1"});
  std::filesystem::permissions(empty, std::filesystem::perms::none);
  expect_failure(bench, {"permission_denied", empty, "sample 2", "batch 1"});
}

TEST(Bench, RefusesOptionsThatMakeNoSense) {
  const TemporaryFolder folder;
  folder.copy_image("var_420.jpg", "data/a.jpg");
  const std::string data = folder / "data";
  for (const char* option :
       {"--batch-size", "--prefetch", "--repeat", "--repetitions", "--warmup"}) {
    expect_failure({data, option, "0"}, {option + std::string(": must be at least 1, not 0")});
  }
  expect_failure({data, "--num-workers", "many"}, {"invalid_argument", "many", "auto"});
  expect_failure({data, "--sweep", "speed=1"}, {"invalid_argument", "speed=1", "num_workers"});
  expect_failure({data, "--compare", "nothing"}, {"nothing"});
}

TEST(Bench, RefusesAReportThatCannotBeWrittenBeforeItMeasures) {
  const TemporaryFolder folder;
  fill_with_classes(folder);
  std::filesystem::create_directory(folder / "locked");
  std::filesystem::permissions(folder / "locked", std::filesystem::perms::owner_read);
  const std::string missing = folder / "missing/json";
  const std::string locked = folder / "locked/json";
  expect_failure({folder / "data", "--json", missing}, {"not_found", missing});
  expect_failure({folder / "data", "--json", locked}, {"permission_denied", locked});
}

TEST(Bench, LeavesAnEarlierReportWhereItFails) {
  const TemporaryFolder folder;
  fill_with_classes(folder);
  folder.write("data/cat/broken.jpg", "");
  const std::string report = folder.write("json", "{}");
  expect_failure({folder / "data", "--pipeline", small_pipeline, "--json", report}, {"empty_file"});
  EXPECT_EQ(content_of(report), "{}");
}

TEST(Bench, NamesDeviceAndPlacement) {
  const TemporaryFolder folder;
  fill_with_classes(folder);
  const auto workload =
      bench_json(folder, {"--device", "host", "--finish", "cpu", "--repetitions", "1"})
          .at("workload");
  EXPECT_EQ(workload.at("device"), "host");
  EXPECT_EQ(workload.at("finish"), "cpu");
  EXPECT_EQ(workload.at("resize_on"), "cpu");
}

TEST(Bench, RefusesADeviceThatIsNone) {
  for (const char* device : {"gpu", "cuda:", "cuda:x", "cuda:-1", "cuda:1x"}) {
    expect_failure({"anywhere", "--device", device}, {"invalid_argument", device, "host"});
  }
  expect_failure({"anywhere", "--finish", "gpu"}, {"--finish", "gpu"});
  expect_failure({"anywhere", "--resize-on", "gpu"}, {"--resize-on", "gpu"});
}

TEST(Bench, SaysThatThereIsNoSuchDevice) {
  const auto result = run_command({"bench", "anywhere", "--device", "cuda:999"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.output, IsEmpty());
  EXPECT_THAT(result.errors,
              AllOf(HasSubstr("CUDA"), AnyOf(HasSubstr("unsupported"), HasSubstr("device_error"))));
}

TEST(Bench, RefusesWorkOnADeviceWhereThereIsNone) {
  const TemporaryFolder folder;
  fill_with_classes(folder);
  expect_failure({folder / "data", "--pipeline", small_pipeline, "--finish", "device"},
                 {"invalid_argument", "finish = device"});
  expect_failure({folder / "data", "--pipeline", small_pipeline, "--resize-on", "device"},
                 {"invalid_argument", "resize_on = device"});
}

TEST(Bench, PointsAtTheColumnOfATypoInThePipeline) {
  expect_failure({"anywhere", "--pipeline", "decode | normlize(imagenet)"},
                 {"invalid_pipeline", "did you mean normalize?", "(column 10)"});
}

TEST(Bench, RefusesAPipelineWhoseImagesDifferInSize) {
  const TemporaryFolder folder;
  folder.copy_image("var_420.jpg", "data/a.jpg");
  expect_failure({folder / "data", "--pipeline", "decode"}, {"invalid_pipeline", "one size"});
}

TEST(Bench, RefusesACropThatIsLargerThanTheImage) {
  const TemporaryFolder folder;
  const auto image = folder.copy_image("var_420.jpg", "data/a.jpg");
  expect_failure({folder / "data", "--pipeline", "decode | random_crop(1000)", "--batch-size", "1"},
                 {"crop_out_of_bounds", image, "sample 0", "batch 0"});
}

}  // namespace
}  // namespace stoker::cli
