#include "transforms/resample_kernels.hpp"

#include <algorithm>
#include <cstring>

// Highway builds for AVX-512 as of Ice Lake and Zen 4 only where it is asked to.
#define HWY_WANT_AVX3_DL
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "transforms/resample_kernels.cpp"
#include <hwy/foreach_target.h>
// Behind the above, as Highway asks for.
#include <hwy/highway.h>

#include "transforms/resample_dot-inl.hpp"

STOKER_RESAMPLE_BEGIN;
namespace stoker::resample {
namespace HWY_NAMESPACE {
#if STOKER_RESAMPLE_VECTORS

using Row = const std::uint8_t*;

/// Puts the weights of `taps` into planes, for whole vectors of outputs.
void pack_rows(const Taps& taps, RowWeights& weights) {
  weights.chunks = taps.chunks();
  weights.planes = planes;
  weights.stride = taps.stride();
  weights.buffer.reserve(static_cast<std::size_t>(weights.chunks * planes) * weights.stride *
                         sizeof(std::uint32_t));
  auto* to = reinterpret_cast<std::uint32_t*>(weights.buffer.data());
  for (int tap = 0; tap < weights.chunks * taps_per_chunk; tap += taps_per_chunk) {
    for (std::size_t output = 0; output < weights.stride; output += lanes) {
      const auto weight = [&](int i) HWY_ATTR {
        return hn::BitCast(Unsigned32(), hn::LoadU(Lanes32(), taps.weights(tap + i) + output));
      };
      store_planes(weight(0), weight(1), weight(2), weight(3), to + output, weights.stride);
    }
    to += planes * weights.stride;
  }
}

/// How the lanes of a group follow from output pixels: lane i belongs to pixel
/// first_pixel(group) + (phase + i) / `width`, where `width` is 3 (bytes without gaps) or 4.
struct Layout {
  int width;
  int first_lane(int group) const { return group * lanes; }
  int first_pixel(int group) const { return first_lane(group) / width; }
  int phase(int group) const { return first_lane(group) % width; }
  int groups(int pixels) const {
    const int used = pixels * (width == 4 ? 4 : ImageView::channels);
    return (used + lanes - 1) / lanes;
  }
};

/// Spreads one value a pixel over the lanes of a group.
class Spread {
 public:
  explicit Spread(Layout layout) {
    for (int phase = 0; phase < layout.width; ++phase) {
      for (int lane = 0; lane < lanes; ++lane) {
        pixel_[phase][lane] = (phase + lane) / layout.width;
        channel_[phase][lane] = (phase + lane) % layout.width;
      }
    }
  }
  HWY_INLINE Sums operator()(const std::int32_t* pixels, int phase) const {
    const Lanes32 d;
    return hn::TableLookupLanes(hn::LoadU(d, pixels), hn::SetTableIndices(d, pixel_[phase]));
  }
  HWY_INLINE Sums channels(int phase) const { return hn::Load(Lanes32(), channel_[phase]); }

 private:
  HWY_ALIGN std::int32_t pixel_[4][lanes];
  HWY_ALIGN std::int32_t channel_[4][lanes];
};

void spread_weights(const RowWeights& packed, Layout layout, const Spread& spread,
                    ColumnWeights& columns) {
  const std::size_t numbers = static_cast<std::size_t>(packed.chunks * planes);
  columns.weights.reserve(static_cast<std::size_t>(columns.groups) * numbers * lanes *
                          sizeof(std::uint32_t));
  auto* out = reinterpret_cast<std::int32_t*>(columns.weights.data());
  const auto* const in = reinterpret_cast<const std::int32_t*>(packed.buffer.data());
  for (int group = 0; group < columns.groups; ++group) {
    const std::int32_t* from = in + layout.first_pixel(group);
    for (std::size_t i = 0; i < numbers; ++i, from += packed.stride, out += lanes) {
      hn::Store(spread(from, layout.phase(group)), Lanes32(), out);
    }
  }
}

#if STOKER_RESAMPLE_VNNI

constexpr Layout dense_layout{ImageView::channels};

/// True where each group's pixels of one chunk lie in one vector's length.
bool fits_densely(const Taps& taps) {
  constexpr int farthest = (lanes * 4 - taps_per_chunk * ImageView::channels) / ImageView::channels;
  for (int group = 0; group < dense_layout.groups(taps.count()); ++group) {
    const int first = dense_layout.first_pixel(group);
    const int last = std::min(first + 1 + lanes / ImageView::channels, taps.count() - 1);
    if (taps.start()[last] - taps.start()[first] > farthest) return false;
  }
  return true;
}

/// Finds, for each group, where its bytes lie from its first pixel on.
void place_densely(const Taps& taps, const Spread& spread, ColumnWeights& columns) {
  const Lanes32 d;
  const int begin = taps.range().begin;
  columns.offsets.reserve(static_cast<std::size_t>(columns.groups) * sizeof(std::int32_t));
  columns.shuffles.reserve(static_cast<std::size_t>(columns.groups) * lanes * 4);
  auto* const offsets = reinterpret_cast<std::int32_t*>(columns.offsets.data());
  auto* const shuffles = reinterpret_cast<std::int32_t*>(columns.shuffles.data());
  const Sums four_taps = hn::Set(d, 0x09060300), every_byte = hn::Set(d, 0x01010101);
  for (int group = 0; group < columns.groups; ++group) {
    const std::int32_t* start = taps.start() + dense_layout.first_pixel(group);
    const int phase = dense_layout.phase(group);
    offsets[group] = (start[0] - begin) * ImageView::channels;
    const Sums pixel = hn::Sub(spread(start, phase), hn::Set(d, start[0]));
    const Sums byte = hn::Add(hn::Mul(pixel, hn::Set(d, ImageView::channels)),
                              spread.channels(phase));
    hn::Store(hn::Add(hn::Mul(byte, every_byte), four_taps), d, shuffles + group * lanes);
  }
}

HWY_INLINE Words pixels_at(Row row, ByteVector shuffle) {
  const __m512i bytes = _mm512_loadu_si512(row);
  return Words{_mm512_permutexvar_epi8(shuffle.raw, bytes)};
}

#endif  // STOKER_RESAMPLE_VNNI

/// Turns a lane of each of four rows into an element of a quad.
HWY_INLINE Words to_quad(Sums a, Sums b, Sums c, Sums e) {
  const Bytes d;
  alignas(16) static constexpr std::uint8_t transposed[16] = {0, 4, 8,  12, 1, 5, 9,  13,
                                                             2, 6, 10, 14, 3, 7, 11, 15};
  return hn::BitCast(Unsigned32(), hn::TableLookupBytes(to_bytes(a, b, c, e),
                                                        hn::LoadDup128(d, transposed)));
}

#if STOKER_RESAMPLE_VNNI

void filter_densely_once(const Row* rows, const ColumnWeights& columns, std::uint32_t* quad) {
  const Row a = rows[0], b = rows[1], c = rows[2], e = rows[3];
  const auto* weights_at = reinterpret_cast<const std::uint32_t*>(columns.weights.data());
  const auto* const offsets = reinterpret_cast<const std::int32_t*>(columns.offsets.data());
  const std::uint8_t* shuffle_at = columns.shuffles.data();
  for (int group = 0, groups = columns.groups; group < groups; ++group) {
    const Weights weights = Weights::load(weights_at);
    const ByteVector shuffle = hn::Load(Bytes(), shuffle_at);
    const int at = offsets[group];
    hn::Store(to_quad(dot(pixels_at(a + at, shuffle), weights),
                      dot(pixels_at(b + at, shuffle), weights),
                      dot(pixels_at(c + at, shuffle), weights),
                      dot(pixels_at(e + at, shuffle), weights)),
              Unsigned32(), quad);
    weights_at += planes * lanes;
    shuffle_at += 4 * lanes;
    quad += lanes;
  }
}

void filter_densely(const Row* rows, const ColumnWeights& columns, std::uint32_t* quad) {
  const Row a = rows[0], b = rows[1], c = rows[2], e = rows[3];
  const auto* weights_at = reinterpret_cast<const std::uint32_t*>(columns.weights.data());
  const auto* const offsets = reinterpret_cast<const std::int32_t*>(columns.offsets.data());
  const int chunks = columns.packed.chunks, last = columns.last_offset;
  for (int group = 0, groups = columns.groups; group < groups; ++group, quad += lanes) {
    const ByteVector shuffle = hn::Load(Bytes(), columns.shuffles.data() + group * lanes * 4);
    Accumulator sum_a, sum_b, sum_c, sum_e;
    int at = offsets[group];
    for (int chunk = 0; chunk < chunks; ++chunk, weights_at += planes * lanes) {
      const Weights weights = Weights::load(weights_at);
      sum_a.add(pixels_at(a + at, shuffle), weights);
      sum_b.add(pixels_at(b + at, shuffle), weights);
      sum_c.add(pixels_at(c + at, shuffle), weights);
      sum_e.add(pixels_at(e + at, shuffle), weights);
      // Where no output of the group has more taps, its weights are 0 and any pixel will do.
      at = std::min(at + taps_per_chunk * ImageView::channels, last);
    }
    hn::Store(to_quad(sum_a.result(), sum_b.result(), sum_c.result(), sum_e.result()),
              Unsigned32(), quad);
  }
}

#endif  // STOKER_RESAMPLE_VNNI

// The way for any scale: 128 bits for each output pixel, of which the last 32 are not used.
constexpr Layout block_layout{4};
constexpr int blocks = lanes / 4;

void place_blocks(const Taps& taps, ColumnWeights& columns) {
  const int begin = taps.range().begin;
  columns.offsets.reserve(static_cast<std::size_t>(columns.groups * blocks) * sizeof(std::int32_t));
  auto* const offsets = reinterpret_cast<std::int32_t*>(columns.offsets.data());
  for (int i = 0; i < columns.groups * blocks; ++i) {
    offsets[i] = (taps.start()[i] - begin) * ImageView::channels;
  }
}

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

/// Which lane goes where: place(i) comes to lane i.
struct Order {
  HWY_ALIGN std::int32_t from[lanes];
  template <class Place>
  static constexpr Order of(Place place) {
    Order order{};
    for (int i = 0; i < lanes; ++i) order.from[i] = place(i);
    return order;
  }
  HWY_INLINE Words operator()(Words words) const {
    return hn::TableLookupLanes(words, hn::SetTableIndices(Unsigned32(), from));
  }
};

/// The first three lanes of each block, one behind the other.
constexpr Order close_gaps =
    Order::of([](int i) { return std::min(i / 3 * 4 + i % 3, lanes - 1); });

/// Sixteen bytes of a row for each output pixel, as its channels' four taps.
class BlockLoader {
 public:
  HWY_INLINE BlockLoader() : shuffle_(hn::LoadDup128(Bytes(), by_channel)) {}

  /// Where no output of a vector has more taps, their weights are 0 and any pixel will do.
  HWY_INLINE void move(const std::int32_t* offsets, int distance, int last) {
    for (int i = 0; i < blocks; ++i) at_[i] = std::min(offsets[i] + distance, last);
  }
  HWY_INLINE Words operator()(Row row) const {
    const Bytes d;
    return hn::BitCast(Unsigned32(), hn::TableLookupBytes(load_blocks(d, row, at_), shuffle_));
  }

 private:
  alignas(16) static constexpr std::uint8_t by_channel[16] = {0, 3, 6, 9,  1, 4, 7, 10,
                                                              2, 5, 8, 11, 2, 5, 8, 11};
  ByteVector shuffle_;
  std::int32_t at_[blocks];
};

void filter_blocks(const Row* rows, const ColumnWeights& columns, std::uint32_t* quad) {
  const Row a = rows[0], b = rows[1], c = rows[2], e = rows[3];
  const auto* weights_at = reinterpret_cast<const std::uint32_t*>(columns.weights.data());
  const auto* offsets = reinterpret_cast<const std::int32_t*>(columns.offsets.data());
  const int chunks = columns.packed.chunks, last = columns.last_offset;
  BlockLoader pixels;
  for (int group = 0, groups = columns.groups; group < groups; ++group, offsets += blocks) {
    Accumulator sum_a, sum_b, sum_c, sum_e;
    for (int chunk = 0; chunk < chunks; ++chunk, weights_at += planes * lanes) {
      const Weights weights = Weights::load(weights_at);
      pixels.move(offsets, chunk * taps_per_chunk * ImageView::channels, last);
      sum_a.add(pixels(a), weights);
      sum_b.add(pixels(b), weights);
      sum_c.add(pixels(c), weights);
      sum_e.add(pixels(e), weights);
    }
    const Words four = to_quad(sum_a.result(), sum_b.result(), sum_c.result(), sum_e.result());
    hn::StoreU(close_gaps(four), Unsigned32(), quad);
    quad += blocks * ImageView::channels;
  }
}

void pack_columns(const Taps& taps, ColumnWeights& columns) {
  pack_rows(taps, columns.packed);
  columns.last_offset = (taps.range().size() - 1) * ImageView::channels;
#if STOKER_RESAMPLE_VNNI
  columns.dense = fits_densely(taps);
  if (columns.dense) {
    columns.groups = dense_layout.groups(taps.count());
    const Spread spread(dense_layout);
    spread_weights(columns.packed, dense_layout, spread, columns);
    return place_densely(taps, spread, columns);
  }
#endif
  columns.groups = block_layout.groups(taps.count());
  spread_weights(columns.packed, block_layout, Spread(block_layout), columns);
  place_blocks(taps, columns);
}

void filter_columns(const Row* rows, const ColumnWeights& columns, std::uint32_t* quad) {
#if STOKER_RESAMPLE_VNNI
  if (columns.dense) {
    return columns.packed.chunks == 1 ? filter_densely_once(rows, columns, quad)
                                      : filter_densely(rows, columns, quad);
  }
#endif
  filter_blocks(rows, columns, quad);
}

void interleave(const Row* rows, int bytes, std::uint32_t* quad) {
  const hn::FixedTag<std::uint8_t, 16> d;
  const hn::Repartition<std::uint16_t, decltype(d)> d16;
  const hn::Repartition<std::uint32_t, decltype(d)> d32;
  for (int i = 0; i < bytes; i += 16, quad += 16) {
    const auto a = hn::LoadU(d, rows[0] + i), b = hn::LoadU(d, rows[1] + i);
    const auto c = hn::LoadU(d, rows[2] + i), e = hn::LoadU(d, rows[3] + i);
    const auto ab = hn::BitCast(d16, hn::InterleaveLower(a, b));
    const auto ce = hn::BitCast(d16, hn::InterleaveLower(c, e));
    const auto ab_upper = hn::BitCast(d16, hn::InterleaveUpper(d, a, b));
    const auto ce_upper = hn::BitCast(d16, hn::InterleaveUpper(d, c, e));
    hn::Store(hn::BitCast(d32, hn::InterleaveLower(ab, ce)), d32, quad);
    hn::Store(hn::BitCast(d32, hn::InterleaveUpper(d16, ab, ce)), d32, quad + 4);
    hn::Store(hn::BitCast(d32, hn::InterleaveLower(ab_upper, ce_upper)), d32, quad + 8);
    hn::Store(hn::BitCast(d32, hn::InterleaveUpper(d16, ab_upper, ce_upper)), d32, quad + 12);
  }
}

constexpr Order undo_packing = Order::of([](int i) { return i % blocks * 4 + i / blocks; });

/// Four vectors' results as bytes in their order.
HWY_INLINE void store_bytes(Sums a, Sums b, Sums c, Sums e, std::uint8_t* to) {
  const Words packed = hn::BitCast(Unsigned32(), to_bytes(a, b, c, e));
  hn::StoreU(hn::BitCast(Bytes(), undo_packing(packed)), Bytes(), to);
}

HWY_INLINE Weights weights_of(const RowFilter& filter, int chunk, int shift) {
  const std::size_t stride = filter.weights->stride;
  return Weights::broadcast(
      filter.weights->at(filter.output) + static_cast<std::size_t>(chunk * planes) * stride, stride,
      shift);
}

/// All taps lie in one quad: rather the weights are moved than the rows.
void filter_one_quad(const RowFilter& filter, int bytes, std::uint8_t* row) {
  const Unsigned32 d;
  const Weights weights = weights_of(filter, 0, filter.phase);
  const std::uint32_t* quad = filter.quads[0];
  for (int i = 0; i < bytes; i += 4 * lanes, quad += 4 * lanes) {
    store_bytes(dot(hn::Load(d, quad), weights), dot(hn::Load(d, quad + lanes), weights),
                dot(hn::Load(d, quad + 2 * lanes), weights),
                dot(hn::Load(d, quad + 3 * lanes), weights), row + i);
  }
}

/// Four rows' pixels from the row `phase` of a quad on, at `at` of this quad and the next.
HWY_INLINE Words rows_at(const std::uint32_t* const* quads, int at, int phase) {
  const Unsigned32 d;
  return rows_from(hn::Load(d, quads[0] + at), hn::Load(d, quads[1] + at), phase);
}

/// One chunk of taps that lies in two quads.
void filter_two_quads(const RowFilter& filter, int bytes, std::uint8_t* row) {
  const Weights weights = weights_of(filter, 0, 0);
  const std::uint32_t* const quads[2] = {filter.quads[0], filter.quads[1]};
  const int phase = filter.phase;
  for (int i = 0; i < bytes; i += 4 * lanes) {
    store_bytes(dot(rows_at(quads, i, phase), weights),
                dot(rows_at(quads, i + lanes, phase), weights),
                dot(rows_at(quads, i + 2 * lanes, phase), weights),
                dot(rows_at(quads, i + 3 * lanes, phase), weights), row + i);
  }
}

void filter_chunks(const RowFilter& filter, int bytes, std::uint8_t* row) {
  const int chunks = filter.weights->chunks, phase = filter.phase;
  for (int i = 0; i < bytes; i += 4 * lanes) {
    Accumulator sum_a, sum_b, sum_c, sum_e;
    for (int chunk = 0; chunk < chunks; ++chunk) {
      const Weights weights = weights_of(filter, chunk, 0);
      const std::uint32_t* const* const quads = filter.quads + chunk;
      sum_a.add(rows_at(quads, i, phase), weights);
      sum_b.add(rows_at(quads, i + lanes, phase), weights);
      sum_c.add(rows_at(quads, i + 2 * lanes, phase), weights);
      sum_e.add(rows_at(quads, i + 3 * lanes, phase), weights);
    }
    store_bytes(sum_a.result(), sum_b.result(), sum_c.result(), sum_e.result(), row + i);
  }
}

void filter_rows(const RowFilter& filter, int bytes, std::uint8_t* row) {
  if (filter.phase + filter.taps <= taps_per_chunk) return filter_one_quad(filter, bytes, row);
  if (filter.weights->chunks == 1) return filter_two_quads(filter, bytes, row);
  filter_chunks(filter, bytes, row);
}

#else  // one number at a time

void pack_rows(const Taps& taps, RowWeights& weights) {
  weights.chunks = taps.chunks();
  weights.planes = taps_per_chunk;
  weights.stride = taps.stride();
  const std::size_t bytes = static_cast<std::size_t>(weights.chunks * taps_per_chunk) *
                            weights.stride * sizeof(std::uint32_t);
  weights.buffer.reserve(bytes);
  std::memcpy(weights.buffer.data(), taps.weights(0), bytes);
}

void pack_columns(const Taps& taps, ColumnWeights& columns) {
  pack_rows(taps, columns.packed);
  columns.groups = taps.count();
  columns.last_offset = (taps.range().size() - 1) * ImageView::channels;
  columns.offsets.reserve(static_cast<std::size_t>(columns.groups) * sizeof(std::int32_t));
  auto* const offsets = reinterpret_cast<std::int32_t*>(columns.offsets.data());
  for (int i = 0; i < columns.groups; ++i) {
    offsets[i] = (taps.start()[i] - taps.range().begin) * ImageView::channels;
  }
}

std::uint32_t to_pixel(std::uint32_t sum) {
  const std::int32_t rounded = static_cast<std::int32_t>(sum) >> weight_bits;
  return static_cast<std::uint32_t>(std::clamp(rounded, 0, 255));
}

constexpr std::uint32_t rounding = 1u << (weight_bits - 1);

void filter_columns(const std::uint8_t* const* rows, const ColumnWeights& columns,
                    std::uint32_t* quad) {
  const auto* const offsets = reinterpret_cast<const std::int32_t*>(columns.offsets.data());
  const int taps = columns.packed.chunks * taps_per_chunk;
  for (int i = 0; i < columns.groups * ImageView::channels; ++i) {
    const int pixel = i / ImageView::channels, channel = i % ImageView::channels;
    std::uint32_t sums[rows_per_quad] = {rounding, rounding, rounding, rounding};
    for (int tap = 0; tap < taps; ++tap) {
      const std::uint32_t weight =
          columns.packed.at(pixel)[static_cast<std::size_t>(tap) * columns.packed.stride];
      const int at = std::min(offsets[pixel] + tap * ImageView::channels, columns.last_offset);
      for (int row = 0; row < rows_per_quad; ++row) sums[row] += weight * rows[row][at + channel];
    }
    quad[i] = to_pixel(sums[0]) | to_pixel(sums[1]) << 8 | to_pixel(sums[2]) << 16 |
              to_pixel(sums[3]) << 24;
  }
}

void interleave(const std::uint8_t* const* rows, int bytes, std::uint32_t* quad) {
  for (int i = 0; i < bytes; ++i) {
    quad[i] = rows[0][i] | std::uint32_t{rows[1][i]} << 8 | std::uint32_t{rows[2][i]} << 16 |
              std::uint32_t{rows[3][i]} << 24;
  }
}

void filter_rows(const RowFilter& filter, int bytes, std::uint8_t* row) {
  const std::uint32_t* const weights = filter.weights->at(filter.output);
  for (int i = 0; i < bytes; ++i) {
    std::uint32_t sum = rounding;
    for (int tap = 0; tap < filter.taps; ++tap) {
      const int place = filter.phase + tap;
      const std::uint32_t four = filter.quads[place / rows_per_quad][i];
      sum += weights[static_cast<std::size_t>(tap) * filter.weights->stride] *
             (four >> (8 * (place % rows_per_quad)) & 0xff);
    }
    row[i] = static_cast<std::uint8_t>(to_pixel(sum));
  }
}

#endif  // STOKER_RESAMPLE_VECTORS

const Kernels* kernels() {
  static constexpr Kernels all{pack_rows, pack_columns, filter_columns, interleave, filter_rows};
  return &all;
}

}  // namespace HWY_NAMESPACE
}  // namespace stoker::resample
STOKER_RESAMPLE_END;

#if HWY_ONCE
namespace stoker::resample {
namespace {

HWY_EXPORT(kernels);

}  // namespace

const Kernels& best_kernels() { return *HWY_DYNAMIC_DISPATCH(kernels)(); }

}  // namespace stoker::resample
#endif  // HWY_ONCE
