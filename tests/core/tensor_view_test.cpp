#include <stoker/core/tensor_view.hpp>

#include <stoker/core/error.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace stoker {
namespace {

template <class Code>
void expect_invalid_argument(const Code& code) {
  try {
    code();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument) << error.what();
  }
}

TEST(Shape, CountsElements) {
  EXPECT_EQ(Shape().elements(), 1);
  EXPECT_EQ(Shape().rank(), 0U);
  EXPECT_EQ((Shape{3, 224, 224}.elements()), 150'528);
  EXPECT_EQ((Shape{3, 0, 224}.elements()), 0);
  EXPECT_EQ((Shape{1 << 20, 1 << 20}.elements()), std::int64_t{1} << 40);
}

TEST(Shape, IsWrittenInBrackets) {
  EXPECT_EQ((Shape{256, 3, 224}.text()), "[256, 3, 224]");
  EXPECT_EQ(Shape().text(), "[]");
}

TEST(Shape, EqualsAShapeWithTheSameDimensions) {
  EXPECT_EQ((Shape{2, 3}), (Shape{2, 3}));
  EXPECT_FALSE((Shape{2, 3} == Shape{3, 2}));
  EXPECT_FALSE((Shape{2} == Shape{2, 0}));
}

TEST(Shape, TakesABatchDimensionInFront) {
  EXPECT_EQ((Shape{3, 4}.prepended(8)), (Shape{8, 3, 4}));
  EXPECT_EQ(Shape().prepended(8), (Shape{8}));
}

TEST(Shape, RefusesNegativeAndTooManyDimensions) {
  expect_invalid_argument([] { Shape{2, -1}; });
  const std::vector<std::int64_t> ones(Shape::capacity + 1, 1);
  const std::span<const std::int64_t> nine = ones;
  expect_invalid_argument([&] { Shape{nine}; });
  const Shape full(nine.first(Shape::capacity));
  expect_invalid_argument([&] { static_cast<void>(full.prepended(1)); });
}

TEST(TensorView, CountsBytesByDtype) {
  TensorView view;
  view.shape = {2, 3};
  EXPECT_EQ(view.bytes(), 6U);
  view.dtype = DType::float32;
  EXPECT_EQ(view.bytes(), 24U);
}

TEST(TensorView, HasRowMajorStridesInElements) {
  TensorView view;
  view.shape = {8, 3, 4, 5};
  EXPECT_EQ(view.strides(), (Shape{60, 20, 5, 1}));
  view.shape = {};
  EXPECT_EQ(view.strides().rank(), 0U);
}

TEST(TensorView, GivesItsDataAsTheTypeAskedFor) {
  float numbers[] = {1.5F, 2.5F};
  TensorView view;
  view.data = numbers;
  EXPECT_EQ(view.as<float>()[1], 2.5F);
}

TEST(DeviceId, IsNumberedAsDlpackDoes) {
  EXPECT_EQ(static_cast<int>(DeviceId::Kind::cpu), 1);
  EXPECT_EQ(static_cast<int>(DeviceId::Kind::cuda), 2);
  EXPECT_EQ(DeviceId(), (DeviceId{DeviceId::Kind::cpu, 0}));
  EXPECT_FALSE((DeviceId{DeviceId::Kind::cuda, 0} == DeviceId{DeviceId::Kind::cuda, 1}));
}

}  // namespace
}  // namespace stoker
