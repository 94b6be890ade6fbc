// How weights and source bytes are laid out for the horizontal pass, for the CPU that Highway
// compiles for at the moment.

#if defined(STOKER_TRANSFORMS_RESAMPLE_LAYOUT_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef STOKER_TRANSFORMS_RESAMPLE_LAYOUT_INL_HPP
#undef STOKER_TRANSFORMS_RESAMPLE_LAYOUT_INL_HPP
#else
#define STOKER_TRANSFORMS_RESAMPLE_LAYOUT_INL_HPP
#endif

#include "transforms/resample_dot-inl.hpp"
#include "transforms/resample_kernels.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

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

/// How outputs lie in the vectors of the horizontal pass: lane i of a group is byte
/// group * lanes + i of a row in which each pixel has `width` bytes.
template <int bytes_per_pixel>
struct Layout {
  static constexpr int width = bytes_per_pixel;
  static constexpr int groups(int pixels) { return (pixels * width + lanes - 1) / lanes; }
  static constexpr int first_pixel(int group) { return group * lanes / width; }
  static constexpr int phase(int group) { return group * lanes % width; }
};

/// The layout that wastes nothing: pixels without gaps. The source bytes of the lanes of an anchor
/// must lie within the anchor's own number of bytes from its first pixel on.
struct Dense : Layout<ImageView::channels> {
  static constexpr int anchor_lanes = STOKER_RESAMPLE_VNNI ? lanes : 4;
};

/// The layout for any scale: 128 bits for each pixel, of which the last 32 are not used.
struct Blocks : Layout<4> {
  static constexpr int anchor_lanes = 4;
};

/// Lanes that an index table brings to where they belong.
struct Order {
  HWY_ALIGN std::int32_t from[lanes];

  template <class Place>
  static constexpr Order of(Place place) {
    Order order{};
    for (int lane = 0; lane < lanes; ++lane) order.from[lane] = place(lane);
    return order;
  }
  HWY_INLINE Words operator()(Words words) const {
    return hn::TableLookupLanes(words, hn::SetTableIndices(Unsigned32(), from));
  }
  HWY_INLINE Words vector() const { return hn::BitCast(Unsigned32(), hn::Load(Lanes32(), from)); }
};

/// Brings one number a pixel to all lanes of the pixel, for groups that start `phase` bytes into
/// one.
template <int width, int phase>
constexpr Order spread = Order::of([](int lane) { return (phase + lane) / width; });
template <int width, int phase>
constexpr Order spread_anchor = Order::of([](int lane) {
  return (phase + lane / Dense::anchor_lanes * Dense::anchor_lanes) / width;
});
template <int width, int phase>
constexpr Order channel = Order::of([](int lane) { return (phase + lane) % width; });

constexpr const Order* spread_pixels[] = {&spread<3, 0>, &spread<3, 1>, &spread<3, 2>};
constexpr const Order* spread_anchors[] = {&spread_anchor<3, 0>, &spread_anchor<3, 1>,
                                           &spread_anchor<3, 2>};
constexpr const Order* channels_of[] = {&channel<3, 0>, &channel<3, 1>, &channel<3, 2>};

template <class Where>
void spread_weights(ColumnWeights& columns) {
  const RowWeights& packed = columns.packed;
  const auto numbers = static_cast<std::size_t>(packed.chunks * planes);
  columns.weights.reserve(static_cast<std::size_t>(columns.groups) * numbers * lanes *
                          sizeof(std::uint32_t));
  auto* out = reinterpret_cast<std::uint32_t*>(columns.weights.data());
  for (int group = 0; group < columns.groups; ++group) {
    const Order& order =
        std::is_same_v<Where, Dense> ? *spread_pixels[Where::phase(group)] : spread<4, 0>;
    const std::uint32_t* from = packed.at(Where::first_pixel(group));
    for (std::size_t i = 0; i < numbers; ++i, from += packed.stride, out += lanes) {
      hn::Store(order(hn::LoadU(Unsigned32(), from)), Unsigned32(), out);
    }
  }
}

template <class Where>
void find_offsets(const Taps& taps, ColumnWeights& columns) {
  const int begin = taps.range().begin, anchors = columns.groups * lanes / Where::anchor_lanes;
  columns.offsets.reserve(static_cast<std::size_t>(anchors) * sizeof(std::int32_t));
  auto* const offsets = reinterpret_cast<std::int32_t*>(columns.offsets.data());
  for (int anchor = 0; anchor < anchors; ++anchor) {
    const int pixel = anchor * Where::anchor_lanes / Where::width;
    offsets[anchor] = (taps.start()[pixel] - begin) * ImageView::channels;
  }
}

/// True where each anchor's pixels of one chunk of taps lie within its bytes.
bool fits_densely(const Taps& taps) {
  constexpr int bytes = Dense::anchor_lanes * 4;
  const int most = std::min(taps.most(), taps_per_chunk);
  const int last_byte = most * ImageView::channels - 1;
  const std::int32_t* const start = taps.start();
  const int last = taps.count() * ImageView::channels - 1;
  for (int lane = 0; lane <= last; lane += Dense::anchor_lanes) {
    const int end = std::min(lane + Dense::anchor_lanes - 1, last);
    const int distance = start[end / ImageView::channels] - start[lane / ImageView::channels];
    if (distance * ImageView::channels + last_byte >= bytes) return false;
  }
  return true;
}

/// Finds which of an anchor's bytes are the four taps of each lane.
void find_shuffles(const Taps& taps, ColumnWeights& columns) {
  const Unsigned32 d;
  columns.shuffles.reserve(static_cast<std::size_t>(columns.groups) * lanes * 4);
  std::uint8_t* out = columns.shuffles.data();
  const Words four_taps = hn::Set(d, 0x09060300), all_bytes = hn::Set(d, 0x01010101);
  const ByteVector farthest = hn::Set(Bytes(), Dense::anchor_lanes * 4 - 1);
  for (int group = 0; group < columns.groups; ++group, out += 4 * lanes) {
    const auto* const at = reinterpret_cast<const std::uint32_t*>(taps.start());
    const Words start = hn::LoadU(d, at + Dense::first_pixel(group));
    const int phase = Dense::phase(group);
    const Words pixel = hn::Sub((*spread_pixels[phase])(start), (*spread_anchors[phase])(start));
    const Words byte = hn::Add(hn::Add(pixel, hn::Add(pixel, pixel)), channels_of[phase]->vector());
    const Words bytes = hn::Add(hn::Mul(byte, all_bytes), four_taps);
    // Taps with the weight 0 may lie too far away.
    hn::Store(hn::Min(hn::BitCast(Bytes(), bytes), farthest), Bytes(), out);
  }
}

void pack_columns(const Taps& taps, ColumnWeights& columns) {
  pack_rows(taps, columns.packed);
  columns.last_offset = (taps.range().size() - 1) * ImageView::channels;
  columns.dense = fits_densely(taps);
  if (columns.dense) {
    columns.groups = Dense::groups(taps.count());
    spread_weights<Dense>(columns);
    find_offsets<Dense>(taps, columns);
    find_shuffles(taps, columns);
  } else {
    columns.groups = Blocks::groups(taps.count());
    spread_weights<Blocks>(columns);
    find_offsets<Blocks>(taps, columns);
  }
}

#endif  // STOKER_RESAMPLE_VECTORS
}  // namespace HWY_NAMESPACE
}  // namespace stoker::resample
STOKER_RESAMPLE_END;

#endif  // include guard
