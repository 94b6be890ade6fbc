#include <stoker/core/image.hpp>

#include <stoker/core/error.hpp>

#include <gtest/gtest.h>

#include <cstring>

namespace stoker {
namespace {

TEST(Image, HasRowsWithoutGapsAndPaddingBehindTheLast) {
  Image image({3, 5});
  EXPECT_EQ(image.size(), (Size{3, 5}));
  EXPECT_EQ(image.stride(), 15U);
  EXPECT_EQ(image.bytes(), 45U);
  EXPECT_EQ(image.row(2), image.data() + 30);
  EXPECT_GE(image.capacity(), image.bytes() + Image::padding);
  std::memset(image.data(), 7, image.bytes() + Image::padding);
}

TEST(Image, AllocatesOnlyToGrow) {
  Image image({100, 100});
  const std::uint8_t* place = image.data();
  const std::size_t capacity = image.capacity();
  image.resize({10, 10});
  EXPECT_EQ(image.size(), (Size{10, 10}));
  image.resize({50, 200});
  EXPECT_EQ(image.data(), place);
  EXPECT_EQ(image.capacity(), capacity);
  image.resize({101, 100});
  EXPECT_GT(image.capacity(), capacity);
}

TEST(Image, MayBeEmptyButNotNegative) {
  Image image;
  EXPECT_EQ(image.size(), (Size{0, 0}));
  EXPECT_NO_THROW(image.resize({0, 7}));
  EXPECT_EQ(image.bytes(), 0U);
  for (const Size size : {Size{-1, 5}, Size{5, -1}}) {
    try {
      image.resize(size);
      ADD_FAILURE() << "took a negative size";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    }
  }
}

TEST(ImageView, NamesAWindowOfAnotherView) {
  const Image image({10, 20});
  const ImageView window = image.view().window({2, 3, 4, 5});
  EXPECT_EQ(window.size, (Size{4, 5}));
  EXPECT_EQ(window.stride, image.stride());
  EXPECT_EQ(window.row(1), image.row(3) + 9);
  EXPECT_EQ(window.window({1, 1, 2, 2}).data, image.row(3) + 12);
}

TEST(Rect, KnowsItsEdges) {
  const Rect rect{2, 3, 4, 5};
  EXPECT_EQ(rect.bottom(), 6);
  EXPECT_EQ(rect.right(), 8);
  EXPECT_EQ(rect.size(), (Size{4, 5}));
}

TEST(Rect, LiesInsideOnlyWithEveryPixelAndAtLeastOne) {
  const Size outer{10, 20};
  EXPECT_TRUE((Rect{0, 0, 10, 20}.inside(outer)));
  EXPECT_TRUE((Rect{9, 19, 1, 1}.inside(outer)));
  for (const Rect& rect :
       {Rect{-1, 0, 5, 5}, Rect{0, -1, 5, 5}, Rect{6, 0, 5, 5}, Rect{0, 16, 5, 5}, Rect{0, 0, 0, 5},
        Rect{0, 0, 5, 0}, Rect{0, 0, 11, 20}, Rect{2147483647, 0, 1, 1}}) {
    EXPECT_FALSE(rect.inside(outer)) << rect.top << ' ' << rect.left;
  }
}

TEST(Image, HasNoPixelsOnceMovedFrom) {
  Image from(Size{3, 4});
  const Image to(std::move(from));
  EXPECT_EQ(to.size(), (Size{3, 4}));
  EXPECT_EQ(from.size(), (Size{0, 0}));  // NOLINT: what is left is the question
  Image assigned(Size{1, 1});
  from.resize({2, 2});
  assigned = std::move(from);
  EXPECT_EQ(assigned.size(), (Size{2, 2}));
  EXPECT_EQ(from.bytes(), 0U);  // NOLINT: as above
}

}  // namespace
}  // namespace stoker
