// The vertical pass for the CPU that Highway compiles for at the moment.

#if defined(STOKER_TRANSFORMS_RESAMPLE_ROWS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef STOKER_TRANSFORMS_RESAMPLE_ROWS_INL_HPP
#undef STOKER_TRANSFORMS_RESAMPLE_ROWS_INL_HPP
#else
#define STOKER_TRANSFORMS_RESAMPLE_ROWS_INL_HPP
#endif

#include "transforms/resample_kernels.hpp"
#include "transforms/resample_layout-inl.hpp"

#include <cstddef>
#include <cstdint>

STOKER_RESAMPLE_BEGIN;
namespace stoker::resample {
namespace HWY_NAMESPACE {
#if STOKER_RESAMPLE_VECTORS

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

constexpr Order undo_packing = Order::of([](int lane) {
  constexpr int blocks = lanes / 4;
  return lane % blocks * 4 + lane / blocks;
});

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

#endif  // STOKER_RESAMPLE_VECTORS
}  // namespace HWY_NAMESPACE
}  // namespace stoker::resample
STOKER_RESAMPLE_END;

#endif  // include guard
