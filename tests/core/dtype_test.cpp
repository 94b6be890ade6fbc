#include <stoker/core/dtype.hpp>

#include <gtest/gtest.h>

#include <array>

namespace stoker {
namespace {

struct Expected {
  DType dtype;
  std::string_view name;
  std::size_t size;
};

constexpr std::array all{
    Expected{DType::uint8, "uint8", 1},       Expected{DType::int32, "int32", 4},
    Expected{DType::int64, "int64", 8},       Expected{DType::float16, "float16", 2},
    Expected{DType::bfloat16, "bfloat16", 2}, Expected{DType::float32, "float32", 4},
    Expected{DType::float64, "float64", 8}};

TEST(DType, HasPyTorchsNameAndItsSize) {
  for (const Expected& expected : all) {
    EXPECT_EQ(name(expected.dtype), expected.name);
    EXPECT_EQ(size_of(expected.dtype), expected.size) << expected.name;
    EXPECT_EQ(parse_dtype(expected.name), expected.dtype);
  }
}

TEST(DType, IsNotReadFromAnotherName) {
  for (const char* text : {"", "float", "Float32", "float32 ", "uint16"}) {
    EXPECT_EQ(parse_dtype(text), std::nullopt) << text;
  }
}

TEST(Layout, IsReadFromItsName) {
  for (const Layout layout : {Layout::NCHW, Layout::NHWC}) {
    EXPECT_EQ(parse_layout(name(layout)), layout);
  }
  EXPECT_EQ(name(Layout::NHWC), "NHWC");
  EXPECT_EQ(parse_layout("nchw"), std::nullopt);
}

}  // namespace
}  // namespace stoker
