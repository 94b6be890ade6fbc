// The horizontal pass for the CPU that Highway compiles for at the moment.

#if defined(STOKER_TRANSFORMS_RESAMPLE_COLUMNS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef STOKER_TRANSFORMS_RESAMPLE_COLUMNS_INL_HPP
#undef STOKER_TRANSFORMS_RESAMPLE_COLUMNS_INL_HPP
#else
#define STOKER_TRANSFORMS_RESAMPLE_COLUMNS_INL_HPP
#endif

#include "transforms/resample_kernels.hpp"
#include "transforms/resample_layout-inl.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

STOKER_RESAMPLE_BEGIN;
namespace stoker::resample {
namespace HWY_NAMESPACE {
#if STOKER_RESAMPLE_VECTORS

/// Sixteen bytes from each of a vector's offsets.
template <class D>
HWY_INLINE hn::Vec<D> load_blocks(D d, Row row, const std::int32_t* offsets) {
  if constexpr (hn::MaxLanes(d) == 16) {
    return hn::LoadU(d, row + offsets[0]);
  } else {
    const hn::Half<D> half;
    const auto lower = load_blocks(half, row, offsets);
    return hn::Combine(d, load_blocks(half, row, offsets + hn::MaxLanes(half) / 16), lower);
  }
}

/// Loads the four taps of each lane of a group from a row.
template <class Where>
class Loader {
 public:
  HWY_INLINE explicit Loader(const ColumnWeights& columns)
      : offsets_(reinterpret_cast<const std::int32_t*>(columns.offsets.data())),
        shuffles_(columns.shuffles.data()),
        last_(columns.last_offset),
        shuffle_(hn::LoadDup128(Bytes(), by_channel)) {}

  HWY_INLINE void start(int group) {
    for (int i = 0; i < anchors; ++i) at_[i] = offsets_[group * anchors + i];
    if constexpr (std::is_same_v<Where, Dense>) {
      shuffle_ = hn::Load(Bytes(), shuffles_ + group * lanes * 4);
    }
  }
  /// Where no output of an anchor has more taps, its weights are 0 and any pixel will do.
  HWY_INLINE void next_chunk() {
    for (int i = 0; i < anchors; ++i) {
      at_[i] = std::min(at_[i] + taps_per_chunk * ImageView::channels, last_);
    }
  }
  HWY_INLINE Words operator()(Row row) const {
    const Bytes d;
#if STOKER_RESAMPLE_VNNI
    if constexpr (anchors == 1) {
      const __m512i bytes = _mm512_loadu_si512(row + at_[0]);
      return Words{_mm512_permutexvar_epi8(shuffle_.raw, bytes)};
    }
#endif
    return hn::BitCast(Unsigned32(), hn::TableLookupBytes(load_blocks(d, row, at_), shuffle_));
  }

 private:
  static constexpr int anchors = lanes / Where::anchor_lanes;
  alignas(16) static constexpr std::uint8_t by_channel[16] = {0, 3, 6, 9,  1, 4, 7, 10,
                                                              2, 5, 8, 11, 2, 5, 8, 11};
  const std::int32_t* offsets_;
  const std::uint8_t* shuffles_;
  int last_;
  ByteVector shuffle_;
  std::int32_t at_[anchors];
};

/// Turns a lane of each of four rows into an element of a quad.
HWY_INLINE Words to_quad(Sums a, Sums b, Sums c, Sums e) {
  const Bytes d;
  alignas(16) static constexpr std::uint8_t transposed[16] = {0, 4, 8,  12, 1, 5, 9,  13,
                                                              2, 6, 10, 14, 3, 7, 11, 15};
  return hn::BitCast(Unsigned32(),
                     hn::TableLookupBytes(to_bytes(a, b, c, e), hn::LoadDup128(d, transposed)));
}

/// The first three lanes of each block, one behind the other.
constexpr Order close_gaps =
    Order::of([](int lane) { return std::min(lane / 3 * 4 + lane % 3, lanes - 1); });

/// Stores a group's elements and returns where the next ones go.
template <class Where>
HWY_INLINE std::uint32_t* store_group(Words elements, std::uint32_t* quad) {
  if constexpr (std::is_same_v<Where, Dense>) {
    hn::Store(elements, Unsigned32(), quad);
    return quad + lanes;
  } else {
    hn::StoreU(close_gaps(elements), Unsigned32(), quad);
    return quad + lanes / 4 * ImageView::channels;
  }
}

/// The horizontal pass where no output has more taps than one chunk.
template <class Where>
void filter_short(const Row* rows, const ColumnWeights& columns, std::uint32_t* quad) {
  const Row a = rows[0], b = rows[1], c = rows[2], e = rows[3];
  const auto* weights_at = reinterpret_cast<const std::uint32_t*>(columns.weights.data());
  Loader<Where> pixels(columns);
  for (int group = 0, groups = columns.groups; group < groups; ++group) {
    pixels.start(group);
    const Weights weights = Weights::load(weights_at);
    weights_at += planes * lanes;
    quad = store_group<Where>(to_quad(dot(pixels(a), weights), dot(pixels(b), weights),
                                      dot(pixels(c), weights), dot(pixels(e), weights)),
                              quad);
  }
}

template <class Where>
void filter_long(const Row* rows, const ColumnWeights& columns, std::uint32_t* quad) {
  const Row a = rows[0], b = rows[1], c = rows[2], e = rows[3];
  const auto* weights_at = reinterpret_cast<const std::uint32_t*>(columns.weights.data());
  const int chunks = columns.packed.chunks;
  Loader<Where> pixels(columns);
  for (int group = 0, groups = columns.groups; group < groups; ++group) {
    pixels.start(group);
    Accumulator sum_a, sum_b, sum_c, sum_e;
    for (int chunk = 0; chunk < chunks; ++chunk, weights_at += planes * lanes) {
      const Weights weights = Weights::load(weights_at);
      sum_a.add(pixels(a), weights);
      sum_b.add(pixels(b), weights);
      sum_c.add(pixels(c), weights);
      sum_e.add(pixels(e), weights);
      pixels.next_chunk();
    }
    quad = store_group<Where>(
        to_quad(sum_a.result(), sum_b.result(), sum_c.result(), sum_e.result()), quad);
  }
}

void filter_columns(const Row* rows, const ColumnWeights& columns, std::uint32_t* quad) {
  if (columns.packed.chunks == 1) {
    return columns.dense ? filter_short<Dense>(rows, columns, quad)
                         : filter_short<Blocks>(rows, columns, quad);
  }
  columns.dense ? filter_long<Dense>(rows, columns, quad)
                : filter_long<Blocks>(rows, columns, quad);
}

#endif  // STOKER_RESAMPLE_VECTORS
}  // namespace HWY_NAMESPACE
}  // namespace stoker::resample
STOKER_RESAMPLE_END;

#endif  // include guard
