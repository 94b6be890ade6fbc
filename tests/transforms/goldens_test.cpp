// What torchvision and Pillow make of the same images; the manifest names their versions.
#include "tests/transforms/eager_canvas.hpp"
#include "tests/transforms/step_reader.hpp"
#include <stoker/transforms/finish.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>

#include <filesystem>
#include <fstream>
#include <string>

namespace stoker::testing {
namespace {

using nlohmann::json;

const std::filesystem::path folder =
    std::filesystem::path(STOKER_TEST_DATA) / "goldens" / "transforms";

std::vector<json> manifest_cases() {
  std::ifstream file(folder / "manifest.json");
  return json::parse(file).at("cases").get<std::vector<json>>();
}

Image read_png(const std::string& name) {
  const cv::Mat bgr = cv::imread((folder / name).string(), cv::IMREAD_COLOR);
  if (bgr.empty()) throw std::runtime_error("cannot read " + name);
  Image image({bgr.rows, bgr.cols});
  for (int y = 0; y < bgr.rows; ++y) {
    for (int x = 0; x < bgr.cols; ++x) {
      const auto& pixel = bgr.at<cv::Vec3b>(y, x);
      for (int c = 0; c < 3; ++c) image.row(y)[3 * x + c] = pixel[2 - c];
    }
  }
  return image;
}

std::vector<std::byte> read_bytes(const std::string& name) {
  std::vector<std::byte> bytes(std::filesystem::file_size(folder / name));
  std::ifstream file(folder / name, std::ios::binary);
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return bytes;
}

std::string parameter_text(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump();
  std::string list;
  for (const json& item : value) list += (list.empty() ? "" : ", ") + item.dump();
  return "[" + list + "]";
}

// The manifest's resize_short is resize with one number.
std::string step_text(const json& golden) {
  const auto operation = golden.at("op").get<std::string>();
  std::string parameters;
  for (const auto& [name, value] : golden.at("params").items()) {
    parameters +=
        fmt::format("{}{}={}", parameters.empty() ? "" : ", ", name, parameter_text(value));
  }
  return fmt::format("{}({})", operation == "resize_short" ? "resize" : operation, parameters);
}

class Goldens : public ::testing::TestWithParam<json> {};

TEST_P(Goldens, HoldToTheBit) {
  const Step step = read_step(step_text(GetParam()));
  Image input = read_png(GetParam().at("input"));
  const auto output = GetParam().at("output").get<std::string>();
  if (output.ends_with(".f32")) {
    const Finish finish(std::span(&step, 1));
    std::vector<std::byte> result(finish.bytes(input.size()));
    finish.write(input.view(), false, result.data());
    EXPECT_TRUE(result == read_bytes(output));
  } else {
    const Image expected = read_png(output);
    const EagerCanvas canvas = applied(step, std::move(input));
    ASSERT_EQ(canvas.size(), expected.size());
    EXPECT_TRUE(pixels_of(canvas.image()) == pixels_of(expected));
  }
}

std::string case_name(const ::testing::TestParamInfo<json>& golden) {
  const auto output = golden.param.at("output").get<std::string>();
  return output.substr(0, output.find('.'));
}

INSTANTIATE_TEST_SUITE_P(Torchvision, Goldens, ::testing::ValuesIn(manifest_cases()), case_name);

}  // namespace
}  // namespace stoker::testing
