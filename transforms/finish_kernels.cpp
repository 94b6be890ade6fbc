#include "transforms/finish_kernels.hpp"

#include <cstring>

#include <stoker/core/image.hpp>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "transforms/finish_kernels.cpp"
#include <hwy/foreach_target.h>
// Everything below is compiled once for each target.
#include <hwy/highway.h>

// How a row becomes floats was measured on a Sapphire Rapids Xeon, 224x224 pixels to float32 NCHW,
// all in the second-level cache (microseconds an image, least of 15 repetitions):
//                             AVX-512   AVX2   none of both
//   formula                        20     24   wrong bits without fused multiply-add
//   table, gather                  40     39   -
//   table, scalar and unrolled     77     77   75
// Gathers are much slower still where microcode guards against Downfall. So: the formula where it
// gives the table's bits, which nearly every pipeline gets on AVX2 and later, and else scalar
// look-ups. Streaming stores (34 in a ring larger than the caches, where plain stores take 67)
// gained nothing once the rows come from a resampler, whose work hides the plain stores' misses;
// they would need a fence before a sample may be published, so they are not used.

HWY_BEFORE_NAMESPACE();
namespace stoker::finish::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::CappedTag<float, Formula::lanes>;
using Vector = hn::Vec<Floats>;
constexpr Floats floats;

// A long row is done in blocks, so that the scratch fits on the stack and in the first-level cache.
// Only a row's single block may be shorter than `block_pixels`.
constexpr std::size_t block_pixels = 512;
constexpr std::size_t scratch_pixels = 2 * block_pixels;

/// Pixels split into planes, or mirrored, with room for vectors that run over both ends.
class Scratch {
 public:
  std::uint8_t* plane(std::size_t c) { return bytes_ + c * (scratch_pixels + 2 * margin) + margin; }
  std::uint8_t* interleaved() { return bytes_ + 3 * margin; }

 private:
  static constexpr std::size_t margin = 64;
  HWY_ALIGN std::uint8_t bytes_[3 * (scratch_pixels + 2 * margin)];
};

/// Calls `block(first, count)` for consecutive parts of `width` pixels.
template <class Block>
HWY_INLINE void ForEachBlock(std::size_t width, const Block& block) {
  std::size_t x = 0;
  for (; width - x > scratch_pixels; x += block_pixels) block(x, block_pixels);
  block(x, width - x);
}

// ---------------------------------------------------------------- moving pixels

template <class D, class V>
HWY_INLINE V Reversed(D d, V v) {
  alignas(16) static constexpr std::uint8_t order[16] = {15, 14, 13, 12, 11, 10, 9, 8,
                                                         7,  6,  5,  4,  3,  2,  1, 0};
  return hn::ReverseBlocks(d, hn::TableLookupBytes(v, hn::LoadDup128(d, order)));
}

/// Calls `step(d, x)` for vectors of d's pixels from x on, until n are covered. Long vectors only
/// where they end inside the n pixels: 16 pixels read at most 45 bytes too far, which
/// Image::padding allows.
template <class Step>
HWY_INLINE void ForEachVector(std::size_t n, const Step& step) {
  static_assert(3 * 15 <= Image::padding);
  const hn::ScalableTag<std::uint8_t> d;
  const hn::CappedTag<std::uint8_t, 16> short_d;
  std::size_t x = 0;
  for (; x + hn::Lanes(d) <= n; x += hn::Lanes(d)) step(d, x);
  for (; x < n; x += hn::Lanes(short_d)) step(short_d, x);
}

template <bool flip>
HWY_INLINE void Split(const std::uint8_t* rgb, std::size_t n, Scratch& scratch) {
  ForEachVector(n, [&](auto d, std::size_t x) HWY_ATTR {
    hn::Vec<decltype(d)> r, g, b;
    hn::LoadInterleaved3(d, rgb + 3 * x, r, g, b);
    if constexpr (flip) {
      r = Reversed(d, r);
      g = Reversed(d, g);
      b = Reversed(d, b);
    }
    const std::ptrdiff_t to =
        flip ? static_cast<std::ptrdiff_t>(n - x) - static_cast<std::ptrdiff_t>(hn::Lanes(d))
             : static_cast<std::ptrdiff_t>(x);
    hn::StoreU(r, d, scratch.plane(0) + to);
    hn::StoreU(g, d, scratch.plane(1) + to);
    hn::StoreU(b, d, scratch.plane(2) + to);
  });
}

HWY_INLINE void Mirror(const std::uint8_t* rgb, std::size_t n, Scratch& scratch) {
  ForEachVector(n, [&](auto d, std::size_t x) HWY_ATTR {
    hn::Vec<decltype(d)> r, g, b;
    hn::LoadInterleaved3(d, rgb + 3 * x, r, g, b);
    const std::ptrdiff_t to =
        static_cast<std::ptrdiff_t>(n - x) - static_cast<std::ptrdiff_t>(hn::Lanes(d));
    hn::StoreInterleaved3(Reversed(d, r), Reversed(d, g), Reversed(d, b), d,
                          scratch.interleaved() + 3 * to);
  });
}

// ---------------------------------------------------------------- element types

struct Uint8 {
  using Bits = std::uint8_t;
};

struct Float32 {
  using Bits = std::uint32_t;
  static HWY_INLINE void Store(Vector v, std::byte* out) {
    hn::StoreU(v, floats, reinterpret_cast<float*>(out));
  }
};

struct Float16 {
  using Bits = std::uint16_t;
  static HWY_INLINE void Store(Vector v, std::byte* out) {
    const hn::Rebind<hwy::float16_t, Floats> d;
    hn::StoreU(hn::DemoteTo(d, v), d, reinterpret_cast<hwy::float16_t*>(out));
  }
};

struct Bfloat16 {
  using Bits = std::uint16_t;
  // Highway's own conversion truncates; torch rounds to nearest even.
  static HWY_INLINE void Store(Vector v, std::byte* out) {
    const hn::RebindToUnsigned<Floats> d32;
    const hn::Rebind<std::uint16_t, Floats> d16;
    const auto bits = hn::BitCast(d32, v);
    const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(d32, 1));
    const auto rounded = hn::Add(hn::Add(bits, hn::Set(d32, 0x7FFF)), odd);
    hn::StoreU(hn::TruncateTo(d16, hn::ShiftRight<16>(rounded)), d16,
               reinterpret_cast<std::uint16_t*>(out));
  }
};

// ---------------------------------------------------------------- by formula

HWY_INLINE Vector Pixels(const std::uint8_t* in) {
  const hn::RebindToSigned<Floats> d32;
  const hn::Rebind<std::uint8_t, Floats> d8;
  return hn::ConvertTo(floats, hn::PromoteTo(d32, hn::LoadU(d8, in)));
}

/// A division by the number whose reciprocal is high + low. It errs by about 2^-48 before it rounds
/// to 24 bits, so it rounds as a division does unless the quotient is as close as that to the
/// middle between two floats.
HWY_INLINE Vector Divided(Vector v, Vector high, Vector low) {
  return hn::MulAdd(v, high, hn::Mul(v, low));
}

/// The division errs by about 2^-48 before it rounds to 24 bits, so it rounds as a division does
/// unless the quotient is as close as that to the middle between two floats.
HWY_INLINE Vector Computed(const std::uint8_t* in, Vector scale, Vector mean, Vector inverse_high,
                           Vector inverse_low) {
  const Vector centred = hn::Sub(hn::Mul(Pixels(in), scale), mean);
  return hn::MulAdd(centred, inverse_high, hn::Mul(centred, inverse_low));
}

/// Computes n values of channel c. n is a vector's lanes at least: the last vector overlaps the one
/// before it, so that nothing behind the row is touched.
template <class Type>
HWY_INLINE void ComputePlane(const Formula& f, std::size_t c, const std::uint8_t* in, std::size_t n,
                             std::byte* out) {
  const Vector scale = hn::Set(floats, f.scale);
  const Vector mean = hn::Set(floats, f.mean[c]);
  const Vector inverse_high = hn::Set(floats, f.inverse_high[c]);
  const Vector inverse_low = hn::Set(floats, f.inverse_low[c]);
  const auto compute = [&](std::size_t x) HWY_ATTR {
    Type::Store(Computed(in + x, scale, mean, inverse_high, inverse_low),
                out + x * sizeof(typename Type::Bits));
  };
  const std::size_t lanes = hn::Lanes(floats);
  std::size_t x = 0;
  for (; x + lanes <= n; x += lanes) compute(x);
  if (x < n) compute(n - lanes);
}

/// Computes n interleaved pixels, n being a vector's lanes at least: three vectors at a time, whose
/// lanes meet the channels in the same order again and again.
template <class Type>
HWY_INLINE void ComputeInterleaved(const Formula& f, const std::uint8_t* in, std::size_t n,
                                   std::byte* out) {
  const std::size_t lanes = hn::Lanes(floats);
  const Vector scale = hn::Set(floats, f.scale);
  const auto compute = [&](std::size_t x) HWY_ATTR {
    for (std::size_t i = 0; i < 3 * lanes; i += lanes) {
      Type::Store(
          Computed(in + 3 * x + i, scale, hn::Load(floats, &f.mean[i]),
                   hn::Load(floats, &f.inverse_high[i]), hn::Load(floats, &f.inverse_low[i])),
          out + (3 * x + i) * sizeof(typename Type::Bits));
    }
  };
  std::size_t x = 0;
  for (; x + lanes <= n; x += lanes) compute(x);
  if (x < n) compute(n - lanes);
}

// ---------------------------------------------------------------- by table

template <class Type>
HWY_INLINE void StoreEntry(std::uint32_t bits, std::byte* out) {
  const auto narrow = static_cast<typename Type::Bits>(bits);
  std::memcpy(out, &narrow, sizeof(narrow));
}

template <class Type>
void LookUpPlanar(const Encoding& encoding, const std::uint8_t* rgb, std::size_t width, bool flip,
                  std::byte* out, std::size_t plane_bytes) {
  const std::ptrdiff_t step = flip ? -3 : 3;
  const std::uint8_t* pixel = flip ? rgb + 3 * (width - 1) : rgb;
  for (std::size_t x = 0; x < width; ++x, pixel += step, out += sizeof(typename Type::Bits)) {
    StoreEntry<Type>(encoding.bits[0][pixel[0]], out);
    StoreEntry<Type>(encoding.bits[1][pixel[1]], out + plane_bytes);
    StoreEntry<Type>(encoding.bits[2][pixel[2]], out + 2 * plane_bytes);
  }
}

/// The same with the three values of a pixel side by side.
template <class Type>
void LookUpInterleaved(const Encoding& encoding, const std::uint8_t* rgb, std::size_t width,
                       bool flip, std::byte* out, std::size_t /*plane_bytes*/) {
  constexpr std::size_t size = sizeof(typename Type::Bits);
  const std::ptrdiff_t step = flip ? -3 : 3;
  const std::uint8_t* pixel = flip ? rgb + 3 * (width - 1) : rgb;
  for (std::size_t x = 0; x < width; ++x, pixel += step, out += 3 * size) {
    for (std::size_t c = 0; c < 3; ++c) {
      StoreEntry<Type>(encoding.bits[c][pixel[c]], out + c * size);
    }
  }
}

// ---------------------------------------------------------------- rows

template <class Type>
void ComputeRowPlanar(const Encoding& encoding, const std::uint8_t* rgb, std::size_t width,
                      bool flip, std::byte* out, std::size_t plane_bytes) {
  if (width < hn::Lanes(floats)) {
    return LookUpPlanar<Type>(encoding, rgb, width, flip, out, plane_bytes);
  }
  Scratch scratch;
  ForEachBlock(width, [&](std::size_t x, std::size_t n) HWY_ATTR {
    flip ? Split<true>(rgb + 3 * x, n, scratch) : Split<false>(rgb + 3 * x, n, scratch);
    std::byte* place = out + (flip ? width - x - n : x) * sizeof(typename Type::Bits);
    for (std::size_t c = 0; c < 3; ++c) {
      ComputePlane<Type>(encoding.formula, c, scratch.plane(c), n, place + c * plane_bytes);
    }
  });
}

template <class Type>
void ComputeRowInterleaved(const Encoding& encoding, const std::uint8_t* rgb, std::size_t width,
                           bool flip, std::byte* out, std::size_t plane_bytes) {
  if (width < hn::Lanes(floats)) {
    return LookUpInterleaved<Type>(encoding, rgb, width, flip, out, plane_bytes);
  }
  if (!flip) return ComputeInterleaved<Type>(encoding.formula, rgb, width, out);
  Scratch scratch;
  ForEachBlock(width, [&](std::size_t x, std::size_t n) HWY_ATTR {
    Mirror(rgb + 3 * x, n, scratch);
    ComputeInterleaved<Type>(encoding.formula, scratch.interleaved(), n,
                             out + 3 * (width - x - n) * sizeof(typename Type::Bits));
  });
}

void CopyRowPlanar(const Encoding& /*encoding*/, const std::uint8_t* rgb, std::size_t width,
                   bool flip, std::byte* out, std::size_t plane_bytes) {
  Scratch scratch;
  ForEachBlock(width, [&](std::size_t x, std::size_t n) HWY_ATTR {
    flip ? Split<true>(rgb + 3 * x, n, scratch) : Split<false>(rgb + 3 * x, n, scratch);
    std::byte* place = out + (flip ? width - x - n : x);
    for (std::size_t c = 0; c < 3; ++c) std::memcpy(place + c * plane_bytes, scratch.plane(c), n);
  });
}

void CopyRowInterleaved(const Encoding& /*encoding*/, const std::uint8_t* rgb, std::size_t width,
                        bool flip, std::byte* out, std::size_t /*plane_bytes*/) {
  if (!flip) {
    std::memcpy(out, rgb, 3 * width);
    return;
  }
  Scratch scratch;
  ForEachBlock(width, [&](std::size_t x, std::size_t n) HWY_ATTR {
    Mirror(rgb + 3 * x, n, scratch);
    std::memcpy(out + 3 * (width - x - n), scratch.interleaved(), 3 * n);
  });
}

// ---------------------------------------------------------------- choice

/// True where both give the same bits for each of the 256 values in each channel.
template <class Type>
bool Agree(const Encoding& encoding, WriteRow a, WriteRow b) {
  constexpr std::size_t size = sizeof(typename Type::Bits);
  std::uint8_t grey[256 * 3 + Image::padding] = {};
  for (std::size_t i = 0; i < 256 * 3; ++i) grey[i] = static_cast<std::uint8_t>(i / 3);
  std::byte result[2][256 * 3 * size];
  a(encoding, grey, 256, false, result[0], 256 * size);
  b(encoding, grey, 256, false, result[1], 256 * size);
  return std::memcmp(result[0], result[1], sizeof(result[0])) == 0;
}

template <class Type>
Kernel ChooseFor(const Encoding& encoding) {
  const bool planar = encoding.layout == Layout::NCHW;
  const Kernel table{planar ? LookUpPlanar<Type> : LookUpInterleaved<Type>, false};
#if HWY_NATIVE_FMA
  const Kernel formula{planar ? ComputeRowPlanar<Type> : ComputeRowInterleaved<Type>, true};
  if (Agree<Type>(encoding, formula.write_row, table.write_row)) return formula;
#endif
  return table;
}

Kernel Choose(const Encoding& encoding) {
  switch (encoding.dtype) {
    case DType::float32: return ChooseFor<Float32>(encoding);
    case DType::float16: return ChooseFor<Float16>(encoding);
    case DType::bfloat16: return ChooseFor<Bfloat16>(encoding);
    default: return {encoding.layout == Layout::NCHW ? CopyRowPlanar : CopyRowInterleaved, false};
  }
}

}  // namespace
}  // namespace stoker::finish::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stoker::finish {

HWY_EXPORT(Choose);

Kernel choose_kernel(const Encoding& encoding) { return HWY_DYNAMIC_DISPATCH(Choose)(encoding); }

}  // namespace stoker::finish
#endif
