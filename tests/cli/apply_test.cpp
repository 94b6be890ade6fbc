#include "tests/cli/run_command.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

namespace stoker::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

std::string golden(const std::string& name) {
  return std::string(STOKER_TEST_DATA) + "/goldens/transforms/" + name;
}

std::string jpeg(const std::string& name) {
  return std::string(STOKER_TEST_DATA) + "/jpegs/" + name;
}

/// Applies a pipeline and returns what was written.
std::string applied(const std::string& pipeline, const std::string& input,
                    const std::vector<std::string>& options = {}) {
  const TemporaryFolder folder;
  std::vector<std::string> words{"apply", pipeline, input, folder / "out"};
  words.insert(words.end(), options.begin(), options.end());
  const auto result = run_command(words);
  EXPECT_EQ(result.status, 0) << result.errors;
  return result.status == 0 ? content_of(folder / "out") : std::string();
}

std::vector<float> floats(const std::string& content) {
  std::vector<float> values(content.size() / sizeof(float));
  std::memcpy(values.data(), content.data(), values.size() * sizeof(float));
  return values;
}

float largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  EXPECT_EQ(a.size(), b.size());
  float largest = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    largest = std::max(largest, std::abs(a[i] - b[i]));
  }
  return largest;
}

/// Expects that the command fails with one message that holds all of `parts`, and writes no file.
void expect_failure(const std::string& pipeline, const std::string& input,
                    const std::vector<std::string>& parts) {
  const TemporaryFolder folder;
  const auto result = run_command({"apply", pipeline, input, folder / "out"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.output, IsEmpty());
  for (const std::string& part : parts) EXPECT_THAT(result.errors, HasSubstr(part));
  EXPECT_FALSE(std::filesystem::exists(folder / "out"));
}

TEST(Apply, WritesThePixelsThatPillowMakes) {
  // Encoded by the same encoder, equal pixels are equal files.
  const std::string input = golden("synthetic_97x61.png");
  EXPECT_EQ(applied("resize(size=[32, 48], interpolation=bilinear, antialias=true)", input),
            applied("decode", golden("000_resize_pil.png")));
  EXPECT_EQ(applied("horizontal_flip()", input),
            applied("decode", golden("038_horizontal_flip_pil.png")));
}

TEST(Apply, WritesFloatsInChannelOrder) {
  const std::string input = golden("synthetic_97x61.png");
  const auto expected = floats(content_of(golden("152_normalize_tensor.f32")));
  EXPECT_LE(largest_difference(floats(applied("normalize(imagenet)", input)), expected), 1e-6F);
  EXPECT_LE(largest_difference(floats(applied("normalize(imagenet) | to(float32, NHWC)", input)),
                               expected),
            1e-6F);
}

TEST(Apply, WidensHalfFloats) {
  const std::string input = golden("synthetic_97x61.png");
  const auto exact = floats(applied("to(float32)", input));
  const auto half = floats(applied("to(float16, NHWC)", input));
  const auto brain = floats(applied("to(bfloat16)", input));
  EXPECT_LE(largest_difference(half, exact), 1.0F / 2048);
  EXPECT_LE(largest_difference(brain, exact), 1.0F / 256);
  EXPECT_GT(largest_difference(brain, exact), 0);
}

TEST(Apply, TurnsTheImageUprightUnlessAskedNotTo) {
  const std::string input = jpeg("var_orientation_5.jpg");
  EXPECT_EQ(applied("horizontal_flip", input), applied("decode | horizontal_flip", input));
  EXPECT_NE(applied("decode", input), applied("decode(orient=false)", input));
}

TEST(Apply, DrawsFromSeedEpochAndPosition) {
  const std::string input = jpeg("var_420.jpg");
  const std::string pipeline = "random_resized_crop(32)";
  const auto first = applied(pipeline, input, {"--seed", "7", "--epoch", "1", "--position", "2"});
  EXPECT_EQ(applied(pipeline, input, {"--seed", "7", "--epoch", "1", "--position", "2"}), first);
  EXPECT_NE(applied(pipeline, input, {"--seed", "8", "--epoch", "1", "--position", "2"}), first);
  EXPECT_NE(applied(pipeline, input, {"--seed", "7", "--epoch", "2", "--position", "2"}), first);
  EXPECT_NE(applied(pipeline, input, {"--seed", "7", "--epoch", "1", "--position", "3"}), first);
}

TEST(Apply, GivesTheSameBitsUnfused) {
  const std::string input = jpeg("var_420.jpg");
  const std::string pipeline =
      "random_resized_crop(32) | random_horizontal_flip(1) | normalize(imagenet)";
  EXPECT_EQ(applied(pipeline, input, {"--unfused"}), applied(pipeline, input));
}

TEST(Apply, ExplainsHowThePipelineIsCarriedOut) {
  const TemporaryFolder folder;
  const auto result = run_command({"apply", "resize(32) | normalize(imagenet)", jpeg("var_420.jpg"),
                                   folder / "out", "--explain"});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.output, AllOf(HasSubstr("decode"), HasSubstr("resize")));
}

TEST(Apply, NamesAFileThatItCannotUse) {
  const TemporaryFolder folder;
  const auto empty = folder.write("empty.jpg", "");
  const auto text = folder.write("text.jpg", "hello");
  const auto cut = folder.write("cut.jpg", content_of(jpeg("var_420.jpg")).substr(0, 9000));
  expect_failure("decode", folder / "missing.jpg", {"not_found", "missing.jpg"});
  expect_failure("decode", folder.string(), {"io_error", folder.string()});
  expect_failure("decode", empty, {"empty_file", empty});
  expect_failure("decode", text, {"unknown_format", text});
  expect_failure("decode", cut, {"truncated", cut});
}

TEST(Apply, NamesAFileThatItMayNotRead) {
  const TemporaryFolder folder;
  const auto path = folder.copy_image("var_420.jpg", "secret.jpg");
  std::filesystem::permissions(path, std::filesystem::perms::none);
  expect_failure("decode", path, {"permission_denied", path});
}

TEST(Apply, SaysWhereItCannotWrite) {
  const TemporaryFolder folder;
  const std::string out = folder / "no/such/folder.png";
  const auto result = run_command({"apply", "decode", jpeg("var_420.jpg"), out});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.errors, AllOf(HasSubstr("not_found"), HasSubstr(out)));
}

TEST(Apply, PointsAtTheColumnOfATypo) {
  expect_failure("decode | reszie(32)", jpeg("var_420.jpg"),
                 {"invalid_pipeline", "did you mean resize?", "(column 10)",
                  "\n  decode | reszie(32)\n           ^\n"});
}

TEST(Apply, RefusesACropThatIsLargerThanTheImage) {
  expect_failure("random_crop(4000)", jpeg("var_420.jpg"),
                 {"crop_out_of_bounds", "4000x4000", "var_420.jpg"});
}

TEST(Apply, RefusesAPipeInsteadOfWaitingForIt) {
  const TemporaryFolder folder;
  const std::string pipe = folder / "pipe.jpg";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const auto result = run_command({"apply", "resize(8)", pipe, folder / "o.png"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.errors, testing::HasSubstr("not a regular file"));
}

TEST(Apply, RefusesAnOutputNameOfAnotherForm) {
  const TemporaryFolder folder;
  const auto image = folder.copy_image("var_420.jpg", "a.jpg");
  for (const auto& [pipeline, name] :
       {std::pair{"resize(8)", "o.jpg"}, std::pair{"normalize(imagenet)", "o.png"}}) {
    const auto result = run_command({"apply", pipeline, image, folder / name});
    EXPECT_EQ(result.status, 1);
    EXPECT_THAT(result.errors, testing::HasSubstr(name));
  }
}

}  // namespace
}  // namespace stoker::cli
