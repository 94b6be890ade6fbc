// Exact products of four 8-bit pixels and four 23-bit weights in vectors of 32-bit lanes, for the
// CPU that Highway compiles for at the moment. A lane's four pixels are the bytes of one 32-bit
// number. Every intermediate sum is exact modulo 2^32 and the whole sum fits, so all ways agree.

#if defined(STOKER_TRANSFORMS_RESAMPLE_DOT_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef STOKER_TRANSFORMS_RESAMPLE_DOT_INL_HPP
#undef STOKER_TRANSFORMS_RESAMPLE_DOT_INL_HPP
#else
#define STOKER_TRANSFORMS_RESAMPLE_DOT_INL_HPP
#endif

#include <cstddef>
#include <cstdint>
#include <utility>

#include <hwy/highway.h>

#include "transforms/resample_weights.hpp"

#undef STOKER_RESAMPLE_VECTORS
#undef STOKER_RESAMPLE_VNNI
#undef STOKER_RESAMPLE_BEGIN
#undef STOKER_RESAMPLE_END

// Vectors of a length known at compile time whose packing keeps the order inside 128 bits.
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128 || HWY_HAVE_SCALABLE
#define STOKER_RESAMPLE_VECTORS 0
#else
#define STOKER_RESAMPLE_VECTORS 1
#endif

// Ice Lake, Zen 4 and later. Highway 1.0.3 forgets to name avx512vnni to the compiler; in Clang its
// region can't be amended, there the next lesser way is taken.
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3_DL && HWY_COMPILER_GCC_ACTUAL
#define STOKER_RESAMPLE_VNNI 1
#define STOKER_RESAMPLE_BEGIN    \
  HWY_BEFORE_NAMESPACE();        \
  _Pragma("GCC push_options")    \
  _Pragma("GCC target(\"avx512vnni\")") static_assert(true, "wants a semicolon")
#define STOKER_RESAMPLE_END   \
  _Pragma("GCC pop_options")  \
  HWY_AFTER_NAMESPACE()
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

inline constexpr int lanes = static_cast<int>(hn::MaxLanes(Lanes32()));
inline constexpr int rounding = 1 << (weight_bits - 1);

#if STOKER_RESAMPLE_VNNI

// Weights are three signed digits to the base 256; one instruction multiplies four taps by a digit.
inline constexpr int planes = 3;

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
      : high_(hn::Set(Lanes32(), rounding >> 16)),
        middle_(hn::Zero(Lanes32())),
        low_(hn::Zero(Lanes32())) {}
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
  Sums sum = multiply_add(hn::Set(Lanes32(), rounding >> 16), pixels, weights.high);
  sum = multiply_add(hn::ShiftLeft<8>(sum), pixels, weights.middle);
  sum = multiply_add(hn::ShiftLeft<8>(sum), pixels, weights.low);
  return hn::ShiftRight<weight_bits>(sum);
}

/// Four rows from row `phase` of `first` on, which go on in `second`.
HWY_INLINE Words rows_from(Words first, Words second, int phase) {
  return Words{_mm512_shrdv_epi32(first.raw, second.raw, _mm512_set1_epi32(8 * phase))};
}

#else  // multiply pairs of 16 bits

// A weight is high * 2^15 + low. Planes: high of the taps (0, 2), of (1, 3), low of both.
inline constexpr int planes = 4;
inline constexpr int low_bits = 15;

struct Weights {
  Words high_even, high_odd, low_even, low_odd;

  static HWY_INLINE Weights load(const std::uint32_t* at) {
    const Unsigned32 d;
    return {hn::Load(d, at), hn::Load(d, at + lanes), hn::Load(d, at + 2 * lanes),
            hn::Load(d, at + 3 * lanes)};
  }
  static HWY_INLINE Weights broadcast(const std::uint32_t* at, std::size_t stride, int shift) {
    const Unsigned32 d;
    std::uint32_t plane[planes] = {at[0], at[stride], at[2 * stride], at[3 * stride]};
    for (; shift > 0; --shift) {  // tap 0 becomes tap 1, of the odd ones
      plane[1] = std::exchange(plane[0], plane[1] << 16);
      plane[3] = std::exchange(plane[2], plane[3] << 16);
    }
    return {hn::Set(d, plane[0]), hn::Set(d, plane[1]), hn::Set(d, plane[2]),
            hn::Set(d, plane[3])};
  }
};

/// The lower 16 bits of both.
HWY_INLINE Words pair(Words first, Words second) {
  return hn::Or(hn::And(first, hn::Set(Unsigned32(), 0xffff)), hn::ShiftLeft<16>(second));
}

HWY_INLINE void store_planes(Words a, Words b, Words c, Words e, std::uint32_t* at,
                             std::size_t stride) {
  const Unsigned32 d;
  const Words low = hn::Set(d, (1u << low_bits) - 1);
  hn::StoreU(pair(hn::ShiftRight<low_bits>(a), hn::ShiftRight<low_bits>(c)), d, at);
  hn::StoreU(pair(hn::ShiftRight<low_bits>(b), hn::ShiftRight<low_bits>(e)), d, at + stride);
  hn::StoreU(pair(hn::And(a, low), hn::And(c, low)), d, at + 2 * stride);
  hn::StoreU(pair(hn::And(b, low), hn::And(e, low)), d, at + 3 * stride);
}

HWY_INLINE Sums multiply_add(Sums sum, Words pixels, Words weights) {
  const Lanes32 d;
#if HWY_ARCH_X86
  Sums unused = hn::Zero(d);
  const Lanes16 d16;
  return hn::ReorderWidenMulAccumulate(d, hn::BitCast(d16, pixels), hn::BitCast(d16, weights), sum,
                                       unused);
#else
  const Sums p = hn::BitCast(d, pixels), w = hn::BitCast(d, weights);
  const Sums lower = hn::Mul(hn::ShiftRight<16>(hn::ShiftLeft<16>(p)),
                             hn::ShiftRight<16>(hn::ShiftLeft<16>(w)));
  return hn::Add(sum, hn::Add(lower, hn::Mul(hn::ShiftRight<16>(p), hn::ShiftRight<16>(w))));
#endif
}

class Accumulator {
 public:
  HWY_INLINE Accumulator()
      : high_(hn::Zero(Lanes32())), low_(hn::Set(Lanes32(), rounding)) {}
  HWY_INLINE void add(Words pixels, const Weights& weights) {
    const Unsigned32 d;
    const hn::RebindToUnsigned<Lanes16> d16;
    const Words even = hn::And(pixels, hn::Set(d, 0x00ff00ffu));
    const Words odd = hn::BitCast(d, hn::ShiftRight<8>(hn::BitCast(d16, pixels)));
    high_ = multiply_add(multiply_add(high_, even, weights.high_even), odd, weights.high_odd);
    low_ = multiply_add(multiply_add(low_, even, weights.low_even), odd, weights.low_odd);
  }
  HWY_INLINE Sums result() const {
    return hn::ShiftRight<weight_bits>(hn::Add(hn::ShiftLeft<low_bits>(high_), low_));
  }

 private:
  Sums high_, low_;
};

HWY_INLINE Sums dot(Words pixels, const Weights& weights) {
  Accumulator sum;
  sum.add(pixels, weights);
  return sum.result();
}

HWY_INLINE Words rows_from(Words first, Words second, int phase) {
  return hn::Or(hn::ShiftRightSame(first, 8 * phase), hn::ShiftLeftSame(second, 32 - 8 * phase));
}

#endif  // STOKER_RESAMPLE_VNNI

using ByteVector = hn::Vec<Bytes>;

#if HWY_ARCH_X86
HWY_INLINE hn::Vec128<std::uint8_t> narrow(hn::Vec128<std::int16_t> a, hn::Vec128<std::int16_t> b) {
  return hn::Vec128<std::uint8_t>{_mm_packus_epi16(a.raw, b.raw)};
}
#if HWY_TARGET <= HWY_AVX2
HWY_INLINE hn::Vec256<std::uint8_t> narrow(hn::Vec256<std::int16_t> a, hn::Vec256<std::int16_t> b) {
  return hn::Vec256<std::uint8_t>{_mm256_packus_epi16(a.raw, b.raw)};
}
#endif
#if HWY_TARGET <= HWY_AVX3
HWY_INLINE hn::Vec512<std::uint8_t> narrow(hn::Vec512<std::int16_t> a, hn::Vec512<std::int16_t> b) {
  return hn::Vec512<std::uint8_t>{_mm512_packus_epi16(a.raw, b.raw)};
}
#endif
#else
HWY_INLINE ByteVector narrow(hn::Vec<Lanes16> a, hn::Vec<Lanes16> b) {
  const hn::Half<Bytes> half;
  return hn::Combine(Bytes(), hn::DemoteTo(half, b), hn::DemoteTo(half, a));
}
#endif

/// Holds results in 0 to 255 and packs them: in each 128 bits four of a, four of b, of c, of d.
HWY_INLINE ByteVector to_bytes(Sums a, Sums b, Sums c, Sums d) {
  const Lanes16 d16;
  return narrow(hn::ReorderDemote2To(d16, a, b), hn::ReorderDemote2To(d16, c, d));
}

#endif  // STOKER_RESAMPLE_VECTORS
}  // namespace HWY_NAMESPACE
}  // namespace stoker::resample
STOKER_RESAMPLE_END;

#endif  // include guard
