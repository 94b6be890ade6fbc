#include <stoker/transforms/finish.hpp>

#include "transforms/narrow_float.hpp"
#include <stoker/core/error.hpp>
#include <stoker/transforms/horizontal_flip.hpp>
#include <stoker/transforms/normalize.hpp>
#include <stoker/transforms/to.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

namespace stoker {
namespace {

using ::testing::HasSubstr;

// torchvision.transforms.v2.functional.to_dtype multiplies by 1 / 255 in float32.
constexpr auto unit_scale = static_cast<float>(1.0 / 255.0);

TEST(Finish, IsUint8InPlanesWithoutValueOperations) {
  const Finish finish;
  EXPECT_EQ(finish.dtype(), DType::uint8);
  EXPECT_EQ(finish.layout(), Layout::NCHW);
  EXPECT_EQ(finish.shape({4, 5}), (Shape{3, 4, 5}));
  EXPECT_EQ(finish.bytes({4, 5}), 60U);
  EXPECT_EQ(finish.text(), "uint8 NCHW");
}

TEST(Finish, HasTheShapeOfItsLayout) {
  const Finish finish(
      std::vector{normalize(imagenet_statistics), to(DType::float16, Layout::NHWC)});
  EXPECT_EQ(finish.shape({4, 5}), (Shape{4, 5, 3}));
  EXPECT_EQ(finish.bytes({4, 5}), 120U);
  EXPECT_EQ(finish.text(),
            "float16 NHWC of (v / 255 - mean) / std, mean=[0.485, 0.456, 0.406], "
            "std=[0.229, 0.224, 0.225]");
}

/// The result for a grey of that value, as bits.
std::uint32_t bits_of(const std::vector<Step>& steps, std::uint8_t value) {
  const Finish finish(steps);
  Image image({1, 1});
  std::fill_n(image.data(), 3, value);
  std::vector<std::byte> out(finish.bytes({1, 1}));
  finish.write(image.view(), false, out.data());
  std::uint32_t bits = 0;
  std::memcpy(&bits, out.data(), size_of(finish.dtype()));
  return bits;
}

TEST(Finish, ScalesOnceOnTheWayToFloats) {
  const Step plain = normalize({{0, 0, 0}, {1, 1, 1}});
  EXPECT_EQ(bits_of({to(DType::float32)}, 255), std::bit_cast<std::uint32_t>(1.0F));
  EXPECT_EQ(bits_of({to(DType::float32, {}, false)}, 255), std::bit_cast<std::uint32_t>(255.0F));
  EXPECT_EQ(bits_of({plain}, 51), std::bit_cast<std::uint32_t>(51 * unit_scale));
  EXPECT_EQ(bits_of({to(DType::float32), plain}, 51),
            std::bit_cast<std::uint32_t>(51 * unit_scale));
  EXPECT_EQ(bits_of({to(DType::float32, {}, false), plain}, 51),
            std::bit_cast<std::uint32_t>(51.0F));
  EXPECT_EQ(bits_of({to(DType::uint8), plain, to(DType::float32)}, 51),
            std::bit_cast<std::uint32_t>(51 * unit_scale));
}

TEST(Finish, RoundsAtEachOfSeveralConversions) {
  const float narrow = float_of_bfloat16(bfloat16_bits(7 * unit_scale));
  EXPECT_EQ(bits_of({to(DType::bfloat16), to(DType::float32)}, 7),
            std::bit_cast<std::uint32_t>(narrow));
  EXPECT_EQ(bits_of({to(DType::bfloat16), to(DType::float16)}, 7), float16_bits(narrow));
}

TEST(Finish, KeepsALayoutUntilAnotherIsGiven) {
  EXPECT_EQ(Finish(std::vector{to(DType::uint8, Layout::NHWC), to(DType::float32)}).layout(),
            Layout::NHWC);
  EXPECT_EQ(Finish(std::vector{to(DType::uint8, Layout::NHWC), to(DType::float32, Layout::NCHW)})
                .layout(),
            Layout::NCHW);
}

TEST(Finish, EqualsWhatGivesTheSameBits) {
  const Step imagenet = normalize(imagenet_statistics);
  const auto finish = [](std::vector<Step> steps) { return Finish(steps); };
  EXPECT_EQ(finish({imagenet}), finish({to(DType::float32), imagenet}));
  EXPECT_EQ(Finish(), finish({to(DType::uint8, Layout::NCHW)}));
  EXPECT_FALSE(finish({imagenet}) == finish({to(DType::float32)}));
  EXPECT_FALSE(finish({imagenet}) == finish({imagenet, to(DType::float16)}));
  EXPECT_FALSE(finish({imagenet}) == finish({imagenet, to(DType::float32, Layout::NHWC)}));
}

void expect_misfit(const std::vector<Step>& steps, const char* message) {
  try {
    const Finish finish(steps);
    ADD_FAILURE() << "took " << finish.text();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_pipeline);
    EXPECT_THAT(error.message(), HasSubstr(message));
  }
}

TEST(Finish, RefusesValueOperationsThatDoNotFitTogether) {
  const Step imagenet = normalize(imagenet_statistics);
  expect_misfit({imagenet, imagenet}, "a pipeline normalizes once");
  expect_misfit({to(DType::float16), imagenet}, "must stand before to(float16)");
  expect_misfit({to(DType::bfloat16), imagenet}, "must stand before to(bfloat16)");
  expect_misfit({imagenet, to(DType::uint8)}, "must stand before normalize");
  expect_misfit({to(DType::float32), to(DType::uint8)}, "any to() that makes floats");
  expect_misfit({horizontal_flip()}, "horizontal_flip: is not normalize or to");
}

}  // namespace
}  // namespace stoker
