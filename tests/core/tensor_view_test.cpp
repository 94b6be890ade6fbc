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
  view.dtype = DType::float32;
  EXPECT_EQ(view.as<float>()[1], 2.5F);
  EXPECT_EQ(view.as<const float>()[1], 2.5F);
}

TEST(TensorView, RefusesElementsOfAnotherType) {
  TensorView view;
  view.dtype = DType::uint8;
  view.shape = {8, 3};
  try {
    view.as<float>();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    EXPECT_EQ(error.message(),
              "a view of uint8 [8, 3] was asked for as float32: as<T>() takes its own dtype");
  }
  EXPECT_THROW(view.as<std::int8_t>(), Error);
  EXPECT_NO_THROW(view.as<std::byte>());
}

struct Half {
  std::uint16_t bits;
};
struct Pair {
  std::int64_t first, second;
};

TEST(DType, SaysWhichTypesItsElementsHave) {
  EXPECT_TRUE(is_element_of<std::uint8_t>(DType::uint8));
  EXPECT_TRUE(is_element_of<std::int32_t>(DType::int32));
  EXPECT_TRUE(is_element_of<const long long>(DType::int64));
  EXPECT_TRUE(is_element_of<double>(DType::float64));
  for (const DType half : {DType::float16, DType::bfloat16}) {
    EXPECT_TRUE(is_element_of<Half>(half));
    EXPECT_TRUE(is_element_of<std::uint16_t>(half));
    EXPECT_FALSE(is_element_of<std::int16_t>(half));
    EXPECT_FALSE(is_element_of<float>(half));
  }
  EXPECT_FALSE(is_element_of<std::int32_t>(DType::int64));
  EXPECT_FALSE(is_element_of<std::uint32_t>(DType::int32));
  EXPECT_FALSE(is_element_of<float>(DType::int32));
  EXPECT_FALSE(is_element_of<double>(DType::int64));
  EXPECT_FALSE(is_element_of<bool>(DType::uint8));
  EXPECT_FALSE(is_element_of<Pair>(DType::int64));
  for (const DType any : {DType::uint8, DType::int64, DType::float16}) {
    EXPECT_TRUE(is_element_of<std::byte>(any));
  }
}

TEST(DeviceId, IsNumberedAsDlpackDoes) {
  EXPECT_EQ(static_cast<int>(DeviceId::Kind::cpu), 1);
  EXPECT_EQ(static_cast<int>(DeviceId::Kind::cuda), 2);
  EXPECT_EQ(DeviceId(), (DeviceId{DeviceId::Kind::cpu, 0}));
  EXPECT_FALSE((DeviceId{DeviceId::Kind::cuda, 0} == DeviceId{DeviceId::Kind::cuda, 1}));
}

}  // namespace
}  // namespace stoker
