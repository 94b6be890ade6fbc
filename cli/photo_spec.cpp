#include "cli/photo_spec.hpp"

#include "cli/photo_plane.hpp"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

namespace stoker::cli {
namespace {

/// A kind of file that occurs, and how much its files take.
struct Encoding {
  double share;
  int quality_low;
  int quality_high;
  int chroma_step_x;
  int chroma_step_y;
  double median_bits_per_pixel;
  double deviation;  // of the logarithm
};

constexpr std::array encodings{
    Encoding{0.655, 96, 96, 1, 1, 5.60, 0.32},  // what the photo service scaled itself
    Encoding{0.165, 72, 80, 2, 2, 1.75, 0.34}, Encoding{0.070, 82, 92, 2, 2, 2.32, 0.26},
    Encoding{0.040, 82, 92, 1, 1, 3.40, 0.40}, Encoding{0.030, 72, 80, 1, 1, 1.95, 0.27},
    Encoding{0.015, 93, 95, 1, 1, 4.30, 0.25}, Encoding{0.020, 93, 96, 2, 2, 3.60, 0.35},
    Encoding{0.005, 85, 96, 2, 1, 2.80, 0.35},
};

struct ShortEdge {
  double share;
  int low;
  int high;
};

// Of photos whose long edge has 500 pixels.
constexpr std::array short_edges{ShortEdge{0.31, 375, 375}, ShortEdge{0.21, 333, 333},
                                 ShortEdge{0.06, 332, 332}, ShortEdge{0.08, 334, 335},
                                 ShortEdge{0.03, 500, 500}, ShortEdge{0.16, 325, 385},
                                 ShortEdge{0.15, 250, 499}};

/// Returns the entry at which the running sum of shares passes a uniform number.
template <class Table>
const auto& pick(Random& random, const Table& table) {
  double left = random.uniform();
  for (const auto& entry : table)
    if ((left -= entry.share) < 0) return entry;
  return table.back();
}

int between(Random& random, int low, int high) {
  return low + static_cast<int>(random.below(static_cast<std::uint64_t>(high - low + 1)));
}

int draw_long_edge(Random& random) {
  const double kind = random.uniform();
  if (kind < 0.155) return between(random, 150, 499);
  if (kind < 0.89) return 500;
  // Few are much larger: the cube crowds them at the low end.
  const double place = random.uniform();
  return 501 + static_cast<int>(720 * place * place * place);
}

std::pair<int, int> draw_size(Random& random) {
  const int long_edge = draw_long_edge(random);
  const ShortEdge& edge = pick(random, short_edges);
  const int short_edge = std::max(96, between(random, edge.low, edge.high) * long_edge / 500);
  const bool portrait = random.bernoulli(0.20);
  return portrait ? std::pair{short_edge, long_edge} : std::pair{long_edge, short_edge};
}

PhotoColors draw_colors(Random& random) {
  const double kind = random.uniform();
  if (kind < 0.001) return PhotoColors::cmyk;
  return kind < 0.019 ? PhotoColors::grayscale : PhotoColors::ycbcr;
}

}  // namespace

// The sum of twelve uniform numbers has variance 1.
double draw_normal(Random& random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += random.uniform();
  return sum;
}

PhotoSpec draw_photo_spec(Random& random) {
  PhotoSpec spec;
  std::tie(spec.width, spec.height) = draw_size(random);
  const Encoding& encoding = pick(random, encodings);
  spec.colors = draw_colors(random);
  spec.progressive = random.bernoulli(0.005);
  spec.quality = between(random, encoding.quality_low, encoding.quality_high);
  spec.chroma_step_x = encoding.chroma_step_x;
  spec.chroma_step_y = encoding.chroma_step_y;
  spec.bits_per_pixel =
      encoding.median_bits_per_pixel *
      double{exponential(static_cast<float>(encoding.deviation * draw_normal(random)))};
  return spec;
}

}  // namespace stoker::cli
