// Computes rows of floats from rows of 8-bit values and stores them, for the CPU that Highway
// compiles for at the moment.

#if defined(STOKER_TRANSFORMS_FINISH_FORMULA_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef STOKER_TRANSFORMS_FINISH_FORMULA_INL_HPP
#undef STOKER_TRANSFORMS_FINISH_FORMULA_INL_HPP
#else
#define STOKER_TRANSFORMS_FINISH_FORMULA_INL_HPP
#endif

#include "transforms/finish_kernels.hpp"

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

// A batch's slot is larger than the caches, so plain stores first read the lines that they are
// about to overwrite. In a ring of 512 MB (tenth percentile of 3000 images):
//                             alone   what it adds behind the resampler
//   plain stores                 65   45
//   prefetching the next row     46   35
//   streaming stores             29   24
// with 64 MB the same; in a place that the cache holds, streaming costs 4 more than plain stores.

HWY_BEFORE_NAMESPACE();
namespace stoker::finish::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::CappedTag<float, Formula::lanes>;
using Vector = hn::Vec<Floats>;
inline constexpr Floats floats;

// ---------------------------------------------------------------- storing

struct PlainStores {
  template <class D, class V>
  static HWY_INLINE void store(D d, V v, std::byte* out) {
    hn::StoreU(v, d, reinterpret_cast<hn::TFromD<D>*>(out));
  }
};

/// Only to whole cache lines.
struct StreamingStores {
  template <class D, class V>
  static HWY_INLINE void store(D d, V v, std::byte* out) {
    hn::Stream(v, d, reinterpret_cast<hn::TFromD<D>*>(out));
  }
};

HWY_INLINE bool can_stream(const Row& row, std::size_t pixel_bytes) {
  constexpr std::uintptr_t line = 64;
  const auto place = reinterpret_cast<std::uintptr_t>(row.out);
  return row.stream && (place | row.plane_bytes | row.width * pixel_bytes) % line == 0;
}

// ---------------------------------------------------------------- element types

using Narrow = hn::Rebind<std::uint16_t, Floats>;

struct Float32 {
  using Bits = std::uint32_t;
  template <class Stores>
  static HWY_INLINE void write(Vector v, std::byte* out) {
    Stores::store(floats, v, out);
  }
};

struct Float16 {
  using Bits = std::uint16_t;
  template <class Stores>
  static HWY_INLINE void write(Vector v, std::byte* out) {
    const hn::Rebind<hwy::float16_t, Floats> d;
    Stores::store(Narrow(), hn::BitCast(Narrow(), hn::DemoteTo(d, v)), out);
  }
};

struct Bfloat16 {
  using Bits = std::uint16_t;
  // Highway's own conversion truncates; torch rounds to nearest even.
  template <class Stores>
  static HWY_INLINE void write(Vector v, std::byte* out) {
    const hn::RebindToUnsigned<Floats> d32;
    const auto bits = hn::BitCast(d32, v);
    const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(d32, 1));
    const auto rounded = hn::Add(hn::Add(bits, hn::Set(d32, 0x7FFF)), odd);
    Stores::store(Narrow(), hn::TruncateTo(Narrow(), hn::ShiftRight<16>(rounded)), out);
  }
};

// ---------------------------------------------------------------- by formula

HWY_INLINE Vector pixels(const std::uint8_t* in) {
  const hn::RebindToSigned<Floats> d32;
  const hn::Rebind<std::uint8_t, Floats> d8;
  return hn::ConvertTo(floats, hn::PromoteTo(d32, hn::LoadU(d8, in)));
}

/// The division errs by about 2^-48 before it rounds to 24 bits, so it rounds as a division does
/// unless the quotient is as close as that to the middle between two floats.
HWY_INLINE Vector computed(const std::uint8_t* in, Vector scale, Vector mean, Vector inverse_high,
                           Vector inverse_low) {
  const Vector centred = hn::Sub(hn::Mul(pixels(in), scale), mean);
  return hn::MulAdd(centred, inverse_high, hn::Mul(centred, inverse_low));
}

/// Computes n values of channel c. n is a vector's lanes at least: the last vector overlaps the one
/// before it, so that nothing behind the row is touched.
template <class Type, class Stores>
HWY_INLINE void compute_plane(const Formula& f, std::size_t c, const std::uint8_t* in,
                              std::size_t n, std::byte* out) {
  const Vector scale = hn::Set(floats, f.scale);
  const Vector mean = hn::Set(floats, f.mean[c]);
  const Vector inverse_high = hn::Set(floats, f.inverse_high[c]);
  const Vector inverse_low = hn::Set(floats, f.inverse_low[c]);
  const auto compute = [&](std::size_t x) HWY_ATTR {
    Type::template write<Stores>(computed(in + x, scale, mean, inverse_high, inverse_low),
                                 out + x * sizeof(typename Type::Bits));
  };
  const std::size_t lanes = hn::Lanes(floats);
  std::size_t x = 0;
  for (; x + lanes <= n; x += lanes) compute(x);
  if (x < n) compute(n - lanes);
}

/// Computes n interleaved pixels, n being a vector's lanes at least: three vectors at a time, whose
/// lanes meet the channels in the same order again and again.
template <class Type, class Stores>
HWY_INLINE void compute_interleaved(const Formula& f, const std::uint8_t* in, std::size_t n,
                                    std::byte* out) {
  const std::size_t lanes = hn::Lanes(floats);
  const Vector scale = hn::Set(floats, f.scale);
  const auto compute = [&](std::size_t x) HWY_ATTR {
    for (std::size_t i = 0; i < 3 * lanes; i += lanes) {
      Type::template write<Stores>(
          computed(in + 3 * x + i, scale, hn::Load(floats, &f.mean[i]),
                   hn::Load(floats, &f.inverse_high[i]), hn::Load(floats, &f.inverse_low[i])),
          out + (3 * x + i) * sizeof(typename Type::Bits));
    }
  };
  std::size_t x = 0;
  for (; x + lanes <= n; x += lanes) compute(x);
  if (x < n) compute(n - lanes);
}

}  // namespace stoker::finish::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
