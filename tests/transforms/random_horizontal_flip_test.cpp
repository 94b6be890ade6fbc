#include <stoker/transforms/random_horizontal_flip.hpp>

#include "tests/transforms/chi_square.hpp"
#include "tests/transforms/eager_canvas.hpp"

#include <gtest/gtest.h>

namespace stoker::testing {
namespace {

int flips_of(double p, int images) {
  const Step step = random_horizontal_flip(p);
  int flips = 0;
  for (int seed = 0; seed < images; ++seed) {
    flips += applied(step, chart({1, 2}), static_cast<std::uint64_t>(seed)).calls().empty() ? 0 : 1;
  }
  return flips;
}

TEST(RandomHorizontalFlip, FlipsWithItsProbability) {
  constexpr int images = 20000;
  for (const double p : {0.1, 0.5, 0.9}) {
    const double flips = flips_of(p, images);
    const double expected = images * p;
    const double chi_square = (flips - expected) * (flips - expected) / (expected * (1 - p));
    EXPECT_LT(chi_square, chi_square_limit_1) << flips << " flips with p=" << p;
  }
}

TEST(RandomHorizontalFlip, NeverOrAlwaysFlipsAtTheEnds) {
  EXPECT_EQ(flips_of(0, 1000), 0);
  EXPECT_EQ(flips_of(1, 1000), 1000);
}

TEST(RandomHorizontalFlip, OnlyMovesPixelsAndKeepsTheSize) {
  const Step step = random_horizontal_flip();
  EXPECT_TRUE(as_transform(step).only_moves_pixels());
  EXPECT_EQ(as_transform(step).output_size(Size{3, 5}), (Size{3, 5}));
}

}  // namespace
}  // namespace stoker::testing
