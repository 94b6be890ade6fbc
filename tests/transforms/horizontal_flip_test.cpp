#include <stoker/transforms/horizontal_flip.hpp>

#include "tests/transforms/eager_canvas.hpp"

#include <gtest/gtest.h>

namespace stoker::testing {
namespace {

TEST(HorizontalFlip, MirrorsTheColumns) {
  const EagerCanvas canvas = applied(horizontal_flip(), chart({3, 5}));
  for (int x = 0; x < 5; ++x) EXPECT_EQ(canvas.image().row(1)[3 * x + 1], 5 - x);
}

TEST(HorizontalFlip, OnlyMovesPixelsAndKeepsTheSize) {
  const Step step = horizontal_flip();
  EXPECT_TRUE(as_transform(step).only_moves_pixels());
  EXPECT_EQ(as_transform(step).output_size(Size{3, 5}), (Size{3, 5}));
  EXPECT_EQ(as_transform(step).output_size({}), std::nullopt);
}

}  // namespace
}  // namespace stoker::testing
