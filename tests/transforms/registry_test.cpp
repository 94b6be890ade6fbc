#include <stoker/transforms/registry.hpp>

#include "tests/transforms/step_reader.hpp"
#include <stoker/core/error.hpp>
#include <stoker/transforms/center_crop.hpp>
#include <stoker/transforms/crop.hpp>
#include <stoker/transforms/random_crop.hpp>
#include <stoker/transforms/random_horizontal_flip.hpp>
#include <stoker/transforms/random_resized_crop.hpp>
#include <stoker/transforms/resize.hpp>
#include <stoker/transforms/resized_crop.hpp>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>

namespace stoker::testing {
namespace {

using ::testing::HasSubstr;

TEST(Registry, NamesEachOperationOnce) {
  std::set<std::string_view> names;
  for (const OperationEntry& entry : transform_operations()) {
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    EXPECT_FALSE(entry.summary.empty()) << entry.name;
  }
  EXPECT_EQ(names.size(), 10U);
}

const char* const every_form[] = {
    "resize(48)",
    "resize([32, 48], nearest, false)",
    "resize(size=[32, 48], interpolation=bicubic, antialias=true)",
    "crop(1, 2, 3, 4)",
    "center_crop(224)",
    "center_crop([3, 4])",
    "resized_crop(top=5, left=9, height=31, width=40, size=[32, 32], interpolation=bilinear)",
    "horizontal_flip",
    "horizontal_flip()",
    "random_crop(32, padding=4)",
    "random_crop([3, 4], [1, 2, 3, 4], true, 255)",
    "random_resized_crop(224)",
    "random_resized_crop([3, 4], scale=[0.3333333333333333, 0.7], ratio=[0.1, 10], "
    "interpolation=nearest)",
    "random_horizontal_flip",
    "random_horizontal_flip(0.1)",
    "normalize(imagenet)",
    "normalize(mean=[0.1, 0.2, 0.3], std=[1e-05, 0.3333333333333333, 200])",
    "to(float16)",
    "to(dtype=float32, layout=NHWC, scale=false)",
};

class EveryForm : public ::testing::TestWithParam<const char*> {};

TEST_P(EveryForm, WritesATextThatReadsBackTheSame) {
  const std::string text = read_step(GetParam())->text();
  EXPECT_EQ(read_step(text)->text(), text);
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryForm, ::testing::ValuesIn(every_form));

struct Mistake {
  const char* text;
  const char* message;
};

void PrintTo(const Mistake& mistake, std::ostream* out) { *out << mistake.text; }

// Messages end with the column of the value at fault.
const Mistake mistakes[] = {
    {"resize()", "resize: size is missing"},
    {"resize(0)", "resize: size must be from 1 to 65535, not 0 (column 8)"},
    {"resize(65536)", "must be from 1 to 65535"},
    {"resize([1, 2, 3])", "size must be the short edge or [height, width]"},
    {"resize([])", "size must be the short edge or [height, width]"},
    {"resize([5, 0])", "size must be from 1 to 65535, not 0"},
    {"resize(1.5)", "whole number"},
    {"resize(5, lanczos)",
     "interpolation must be nearest, bilinear or bicubic, not lanczos (column 11)"},
    {"resize(5, antialias=false)", "antialias must be true with bilinear"},
    {"resize(5, bicubic, antialias=false)", "antialias must be true with bicubic"},
    {"resize(5, size=6)", "given by place and by name"},
    {"resize(5, max_size=6)", "has no parameter max_size"},
    {"crop(1, 2, 3)", "width is missing"},
    {"crop(-1, 2, 3, 4)", "crop: top must be from 0 to 65535, not -1 (column 6)"},
    {"crop(1, -2, 3, 4)", "left must be from 0"},
    {"crop(1, 2, 0, 4)", "height must be from 1"},
    {"crop(1, 2, 3, 0)", "width must be from 1"},
    {"crop(1, 2, 3, 5000000000)", "width is out of range"},
    {"crop(1, 2, 3, 4, 5)", "takes at most 4 arguments"},
    {"center_crop(0)", "size"},
    {"center_crop([1, 2, 3])", "size"},
    {"resized_crop(0, 0, 5, 5)", "size is missing"},
    {"resized_crop(0, 0, 5, 0, 5)", "width must be from 1"},
    {"resized_crop(0, 0, 5, 5, 0)", "size"},
    {"resized_crop(0, 0, 5, 5, 5, antialias=false)", "antialias must be true"},
    {"horizontal_flip(0.5)", "takes at most 0 arguments"},
    {"random_crop(0)", "size"},
    {"random_crop(5, -1)", "padding must be from 0 to 65535, not -1 (column 16)"},
    {"random_crop(5, [1, 2, 3])", "padding must be a number"},
    {"random_crop(5, pad_if_needed=maybe)", "pad_if_needed must be true or false"},
    {"random_crop(5, fill=256)", "fill must be from 0 to 255, not 256"},
    {"random_crop(5, fill=-1)", "fill must be from 0 to 255"},
    {"random_resized_crop(0)", "size"},
    {"random_resized_crop(5, scale=0.5)", "scale must be [low, high]"},
    {"random_resized_crop(5, scale=[0, 1])",
     "scale must be [low, high] with 0 < low <= high, not [0, 1]"},
    {"random_resized_crop(5, scale=[1, 0.5])", "scale must be [low, high] with"},
    {"random_resized_crop(5, ratio=[-1, 1])", "ratio must be [low, high] with"},
    {"random_resized_crop(5, ratio=[2, 1])", "ratio must be [low, high] with"},
    {"random_resized_crop(5, antialias=false)", "antialias must be true"},
    {"random_horizontal_flip(1.5)", "p must be from 0 to 1, not 1.5 (column 24)"},
    {"random_horizontal_flip(-0.1)", "p must be from 0 to 1"},
    {"normalize()", "mean is missing"},
    {"normalize(0.5)", "std is missing"},
    {"normalize(mnist)", "mean must be imagenet, a number or a list of numbers, not mnist"},
    {"normalize(imagenet, 0.5)", "takes at most 1 arguments"},
    {"normalize([1, 2], [1, 2])", "mean must be one number or one for each of 3 channels"},
    {"normalize(0, [1, 0, 1])", "std must hold finite float32 numbers other than 0, not 0"},
    {"normalize(0, 1e-60)", "std must hold finite float32 numbers other than 0"},
    {"normalize(1e60, 1)", "mean must hold finite float32 numbers, not 1e+60"},
    {"to()", "dtype is missing"},
    {"to(int64)", "dtype must be uint8, float16, bfloat16 or float32, not int64 (column 4)"},
    {"to(half)", "dtype must be uint8"},
    {"to(float32, CHW)", "layout must be NCHW or NHWC, not CHW"},
    {"to(float32, scale=2)", "scale"},
};

class EveryMistake : public ::testing::TestWithParam<Mistake> {};

TEST_P(EveryMistake, IsRefusedWithAMessageThatPointsAtIt) {
  try {
    read_step(GetParam().text);
    ADD_FAILURE() << "made a step";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_pipeline);
    EXPECT_THAT(error.message(), HasSubstr(GetParam().message));
    EXPECT_THAT(error.message(), HasSubstr("(column "));
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryMistake, ::testing::ValuesIn(mistakes));

template <class Make>
void expect_refused(Make make, const char* message) {
  try {
    make();
    ADD_FAILURE() << "made a step: " << message;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    EXPECT_THAT(error.message(), HasSubstr(message));
  }
}

TEST(Factories, RefuseTheSameMistakesInCode) {
  expect_refused([] { return resize(0); }, "resize: size must be from 1 to 65535, not 0");
  expect_refused([] { return resize(Size{5, 70000}); }, "resize: size must be");
  expect_refused([] { return resize(5, Interpolation::bilinear, false); },
                 "antialias must be true");
  expect_refused([] { return resize(Size{5, 5}, Interpolation::bicubic, false); }, "antialias");
  expect_refused([] { return crop({-1, 0, 1, 1}); }, "crop: top must be from 0");
  expect_refused([] { return center_crop(0); }, "center_crop: size");
  expect_refused([] { return resized_crop({0, 0, 0, 1}, {5, 5}); }, "resized_crop: height");
  expect_refused([] { return resized_crop({0, 0, 1, 1}, {0, 5}); }, "resized_crop: size");
  expect_refused(
      [] {
        return resized_crop({0, 0, 1, 1}, {5, 5}, Interpolation::bilinear, false);
      },
      "resized_crop: antialias");
  expect_refused([] { return random_crop(0); }, "random_crop: size");
  expect_refused([] { return random_crop(5, {.padding = {0, 0, 0, -1}}); }, "random_crop: padding");
  expect_refused([] { return random_resized_crop(0); }, "random_resized_crop: size");
  expect_refused([] { return random_resized_crop(5, {.scale = {0.5, INFINITY}}); }, "scale");
  expect_refused([] { return random_resized_crop(5, {.ratio = {NAN, 1}}); }, "ratio");
  expect_refused([] { return random_resized_crop(5, {.antialias = false}); }, "antialias");
  expect_refused([] { return random_horizontal_flip(NAN); }, "random_horizontal_flip: p");
}

}  // namespace
}  // namespace stoker::testing
