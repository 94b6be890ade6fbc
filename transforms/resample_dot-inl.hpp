// Exact products of four 8-bit pixels and four 23-bit weights in vectors of 32-bit lanes, for the
// CPU that Highway compiles for at the moment. A lane's four pixels are the bytes of one 32-bit
// number. Every intermediate sum is exact modulo 2^32 and the whole sum fits, so all ways agree.

#if defined(STOKER_TRANSFORMS_RESAMPLE_DOT_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef STOKER_TRANSFORMS_RESAMPLE_DOT_INL_HPP
#undef STOKER_TRANSFORMS_RESAMPLE_DOT_INL_HPP
#else
#define STOKER_TRANSFORMS_RESAMPLE_DOT_INL_HPP
#endif

#include "transforms/resample_weights.hpp"

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <utility>

#undef STOKER_RESAMPLE_VECTORS
#undef STOKER_RESAMPLE_VNNI
#undef STOKER_RESAMPLE_BEGIN
#undef STOKER_RESAMPLE_END

// The instructions that make it fast have no portable names in Highway 1.0.3.
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_SSSE3
#define STOKER_RESAMPLE_VECTORS 1
#else
#define STOKER_RESAMPLE_VECTORS 0
#endif

// Ice Lake, Zen 4 and later. Highway 1.0.3 forgets to name avx512vnni to the compiler; in Clang its
// region can't be amended, there the next lesser way is taken.
#if STOKER_RESAMPLE_VECTORS && HWY_TARGET <= HWY_AVX3_DL && HWY_COMPILER_GCC_ACTUAL
#define STOKER_RESAMPLE_VNNI 1
#define STOKER_RESAMPLE_BEGIN \
  HWY_BEFORE_NAMESPACE();     \
  _Pragma("GCC push_options") \
      _Pragma("GCC target(\"avx512vnni\")") static_assert(true, "wants a semicolon")
#define STOKER_RESAMPLE_END _Pragma("GCC pop_options") HWY_AFTER_NAMESPACE()
#else
#define STOKER_RESAMPLE_VNNI 0
#define STOKER_RESAMPLE_BEGIN HWY_BEFORE_NAMESPACE()
#define STOKER_RESAMPLE_END HWY_AFTER_NAMESPACE()
#endif

STOKER_RESAMPLE_BEGIN;
namespace stoker::resample {
namespace HWY_NAMESPACE {
#if STOKER_RESAMPLE_VECTORS
namespace hn = hwy::HWY_NAMESPACE;

using Lanes32 = hn::ScalableTag<std::int32_t>;
using Unsigned32 = hn::RebindToUnsigned<Lanes32>;
using Lanes16 = hn::Repartition<std::int16_t, Lanes32>;
using Bytes = hn::Repartition<std::uint8_t, Lanes32>;
using Sums = hn::Vec<Lanes32>;
using Words = hn::Vec<Unsigned32>;
using Sixteens = hn::Vec<Lanes16>;
using ByteVector = hn::Vec<Bytes>;

inline constexpr int lanes = static_cast<int>(hn::MaxLanes(Lanes32()));

#if STOKER_RESAMPLE_VNNI

// Weights are three signed digits to the base 256; one instruction multiplies four taps by a digit.
inline constexpr int planes = 3;
/// Half a pixel in the units of the highest digit.
inline constexpr int half = 1 << (weight_bits - 1 - 16);

struct Weights {
  Words high, middle, low;

  /// The planes of one vector of outputs.
  static HWY_INLINE Weights load(const std::uint32_t* at) {
    const Unsigned32 d;
    return {hn::Load(d, at), hn::Load(d, at + lanes), hn::Load(d, at + 2 * lanes)};
  }
  /// The planes of one output in all lanes, for taps `shift` places later; those that fall off must
  /// be 0.
  static HWY_INLINE Weights broadcast(const std::uint32_t* at, std::size_t stride, int shift) {
    const Unsigned32 d;
    return {hn::Set(d, at[0] << 8 * shift), hn::Set(d, at[stride] << 8 * shift),
            hn::Set(d, at[2 * stride] << 8 * shift)};
  }
};

/// Four taps' digits of one place.
template <int digit>
HWY_INLINE Words gather_digits(Words a, Words b, Words c, Words e) {
  const Words byte = hn::Set(Unsigned32(), 0xff);
  const Words lower = hn::Or(hn::And(hn::ShiftRight<8 * digit>(a), byte),
                             hn::ShiftLeft<8>(hn::And(hn::ShiftRight<8 * digit>(b), byte)));
  const Words upper = hn::Or(hn::And(hn::ShiftRight<8 * digit>(c), byte),
                             hn::ShiftLeft<8>(hn::And(hn::ShiftRight<8 * digit>(e), byte)));
  return hn::Or(lower, hn::ShiftLeft<16>(upper));
}

HWY_INLINE Words to_digits(Words weight) {
  const Words carry = hn::Set(Unsigned32(), 0x8080);
  return hn::Xor(hn::Add(weight, carry), carry);
}

/// Stores the planes of weights of four taps, `stride` apart.
HWY_INLINE void store_planes(Words a, Words b, Words c, Words e, std::uint32_t* at,
                             std::size_t stride) {
  const Unsigned32 d;
  a = to_digits(a), b = to_digits(b), c = to_digits(c), e = to_digits(e);
  hn::StoreU(gather_digits<2>(a, b, c, e), d, at);
  hn::StoreU(gather_digits<1>(a, b, c, e), d, at + stride);
  hn::StoreU(gather_digits<0>(a, b, c, e), d, at + 2 * stride);
}

HWY_INLINE Sums multiply_add(Sums sum, Words pixels, Words weights) {
  return Sums{_mm512_dpbusd_epi32(sum.raw, pixels.raw, weights.raw)};
}

/// Sums of products over chunks of taps; result() rounds to pixels, not yet held in 0 to 255.
class Accumulator {
 public:
  // Not by default member initializers: GCC would compile those for the baseline CPU.
  HWY_INLINE Accumulator()
      : high_(hn::Set(Lanes32(), half)), middle_(hn::Zero(Lanes32())), low_(hn::Zero(Lanes32())) {}
  HWY_INLINE void add(Words pixels, const Weights& weights) {
    high_ = multiply_add(high_, pixels, weights.high);
    middle_ = multiply_add(middle_, pixels, weights.middle);
    low_ = multiply_add(low_, pixels, weights.low);
  }
  HWY_INLINE Sums result() const {
    const Sums upper = hn::Add(hn::ShiftLeft<8>(high_), middle_);
    return hn::ShiftRight<weight_bits>(hn::Add(hn::ShiftLeft<8>(upper), low_));
  }

 private:
  Sums high_, middle_, low_;
};

/// The result of one chunk alone.
HWY_INLINE Sums dot(Words pixels, const Weights& weights) {
  Sums sum = multiply_add(hn::Set(Lanes32(), half), pixels, weights.high);
  sum = multiply_add(hn::ShiftLeft<8>(sum), pixels, weights.middle);
  sum = multiply_add(hn::ShiftLeft<8>(sum), pixels, weights.low);
  return hn::ShiftRight<weight_bits>(sum);
}

/// Four rows from row `phase` of `first` on, which go on in `second`.
HWY_INLINE Words rows_from(Words first, Words second, int phase) {
  return Words{_mm512_shrdv_epi32(first.raw, second.raw, _mm512_set1_epi32(8 * phase))};
}

HWY_INLINE Sixteens round_and_pack(Sums a, Sums b) { return hn::ReorderDemote2To(Lanes16(), a, b); }

#else  // no byte products with 32-bit sums

// A weight is high * 2^16 + low with a signed low. Planes: high of four taps, as bytes; low of the
// taps (0, 2); low of the taps (1, 3).
inline constexpr int planes = 3;

struct Weights {
  Words high, low_even, low_odd;

  static HWY_INLINE Weights load(const std::uint32_t* at) {
    const Unsigned32 d;
    return {hn::Load(d, at), hn::Load(d, at + lanes), hn::Load(d, at + 2 * lanes)};
  }
  static HWY_INLINE Weights broadcast(const std::uint32_t* at, std::size_t stride, int shift) {
    const Unsigned32 d;
    std::uint32_t even = at[stride], odd = at[2 * stride];
    for (int i = 0; i < shift; ++i) odd = std::exchange(even, odd << 16);  // tap 0 becomes tap 1
    return {hn::Set(d, at[0] << 8 * shift), hn::Set(d, even), hn::Set(d, odd)};
  }
};

/// The lower 16 bits of both.
HWY_INLINE Words pair(Words first, Words second) {
  return hn::Or(hn::And(first, hn::Set(Unsigned32(), 0xffff)), hn::ShiftLeft<16>(second));
}

HWY_INLINE Words high_byte(Words weight) {
  const Unsigned32 d;
  const Words rounded = hn::Add(weight, hn::Set(d, 0x8000));
  return hn::And(hn::ShiftRight<16>(rounded), hn::Set(d, 0xff));
}

HWY_INLINE void store_planes(Words a, Words b, Words c, Words e, std::uint32_t* at,
                             std::size_t stride) {
  const Unsigned32 d;
  const Words lower = hn::Or(high_byte(a), hn::ShiftLeft<8>(high_byte(b)));
  const Words upper = hn::Or(high_byte(c), hn::ShiftLeft<8>(high_byte(e)));
  hn::StoreU(hn::Or(lower, hn::ShiftLeft<16>(upper)), d, at);
  hn::StoreU(pair(a, c), d, at + stride);
  hn::StoreU(pair(b, e), d, at + 2 * stride);
}

/// Products of the bytes of `pixels` and the signed ones of `weights`, added in pairs. The weights
/// of a pair are at most 128 together, so nothing saturates.
HWY_INLINE Sixteens multiply_bytes(Words pixels, Words weights) {
#if HWY_TARGET <= HWY_AVX3
  return Sixteens{_mm512_maddubs_epi16(pixels.raw, weights.raw)};
#elif HWY_TARGET <= HWY_AVX2
  return Sixteens{_mm256_maddubs_epi16(pixels.raw, weights.raw)};
#else
  return Sixteens{_mm_maddubs_epi16(pixels.raw, weights.raw)};
#endif
}

HWY_INLINE Sums multiply_add(Sums sum, Sixteens a, Sixteens b) {
  Sums unused = hn::Zero(Lanes32());
  return hn::ReorderWidenMulAccumulate(Lanes32(), a, b, sum, unused);
}

HWY_INLINE Sums add_pairs(Sixteens words) {
  return multiply_add(hn::Zero(Lanes32()), words, hn::Set(Lanes16(), 1));
}

/// Adds the products with the low parts of the weights.
HWY_INLINE Sums multiply_low(Sums sum, Words pixels, const Weights& weights) {
  const Lanes16 d;
  const hn::RebindToUnsigned<Lanes16> unsigned_d;
  const Words even = hn::And(pixels, hn::Set(Unsigned32(), 0x00ff00ffu));
  const auto odd = hn::ShiftRight<8>(hn::BitCast(unsigned_d, pixels));
  sum = multiply_add(sum, hn::BitCast(d, even), hn::BitCast(d, weights.low_even));
  return multiply_add(sum, hn::BitCast(d, odd), hn::BitCast(d, weights.low_odd));
}

/// Sums of products over chunks of taps; result() gives 1/64 pixels, rounded down.
class Accumulator {
 public:
  // Not by default member initializers: GCC would compile those for the baseline CPU.
  HWY_INLINE Accumulator() : high_(hn::Zero(Lanes16())), low_(hn::Zero(Lanes32())) {}
  HWY_INLINE void add(Words pixels, const Weights& weights) {
    high_ = hn::Add(high_, multiply_bytes(pixels, weights.high));
    low_ = multiply_low(low_, pixels, weights);
  }
  HWY_INLINE Sums result() const {
    return hn::ShiftRight<16>(hn::Add(hn::ShiftLeft<16>(add_pairs(high_)), low_));
  }

 private:
  Sixteens high_;
  Sums low_;
};

/// The result of one chunk alone. With four taps the low part's upper 16 bits can join the others
/// before the pairs are added.
HWY_INLINE Sums dot(Words pixels, const Weights& weights) {
  const Sums low = multiply_low(hn::Zero(Lanes32()), pixels, weights);
  const Sums carry = hn::And(low, hn::Set(Lanes32(), -0x10000));
  return add_pairs(hn::Add(multiply_bytes(pixels, weights.high), hn::BitCast(Lanes16(), carry)));
}

HWY_INLINE Words rows_from(Words first, Words second, int phase) {
  return hn::Or(hn::ShiftRightSame(first, 8 * phase), hn::ShiftLeftSame(second, 32 - 8 * phase));
}

/// (x + 32) / 64, rounded down.
HWY_INLINE Sixteens round_and_pack(Sums a, Sums b) {
  const Lanes16 d;
  return hn::MulFixedPoint15(hn::ReorderDemote2To(d, a, b), hn::Set(d, 1 << (15 - 6)));
}

#endif  // STOKER_RESAMPLE_VNNI

HWY_INLINE ByteVector saturate(Sixteens a, Sixteens b) {
#if HWY_TARGET <= HWY_AVX3
  return ByteVector{_mm512_packus_epi16(a.raw, b.raw)};
#elif HWY_TARGET <= HWY_AVX2
  return ByteVector{_mm256_packus_epi16(a.raw, b.raw)};
#else
  return ByteVector{_mm_packus_epi16(a.raw, b.raw)};
#endif
}

/// Makes results pixels: in each 128 bits four of a, four of b, of c, of e.
HWY_INLINE ByteVector to_bytes(Sums a, Sums b, Sums c, Sums e) {
  return saturate(round_and_pack(a, b), round_and_pack(c, e));
}

#endif  // STOKER_RESAMPLE_VECTORS
}  // namespace HWY_NAMESPACE
}  // namespace stoker::resample
STOKER_RESAMPLE_END;

#endif  // include guard
