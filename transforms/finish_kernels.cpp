#include "transforms/finish_kernels.hpp"

#include <cstring>

#include <stoker/core/image.hpp>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "transforms/finish_kernels.cpp"
#include <hwy/foreach_target.h>
// Everything below is compiled once for each target.
#include <hwy/highway.h>

// How a row becomes floats was measured on a Sapphire Rapids Xeon, 224x224 pixels to float32 NCHW
// into the same place again and again (microseconds an image, the least of 15 repetitions):
//                             AVX-512   AVX2   none of both
//   formula                        17     24   wrong bits without fused multiply-add
//   table, gather                  40     39   -
//   table, scalar and unrolled     77     77   75
// Gathers are much slower still where microcode guards against Downfall. So: the formula where it
// gives the table's bits, which nearly every pipeline gets on AVX2 and later, and else scalar
// look-ups.
//
// A batch's slot is larger than the caches, so plain stores first read the lines that they are
// about to overwrite. In a ring of 512 MB (tenth percentile of 3000 images):
//                             alone   what it adds behind the resampler
//   plain stores                 65   45
//   prefetching the next row     46   35
//   streaming stores             29   24
// with 64 MB the same; in a place that the cache holds, streaming costs 4 more than plain stores.

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

// ---------------------------------------------------------------- storing

struct PlainStores {
  template <class D, class V>
  static HWY_INLINE void Store(D d, V v, std::byte* out) {
    hn::StoreU(v, d, reinterpret_cast<hn::TFromD<D>*>(out));
  }
};

/// Only to whole cache lines.
struct StreamingStores {
  template <class D, class V>
  static HWY_INLINE void Store(D d, V v, std::byte* out) {
    hn::Stream(v, d, reinterpret_cast<hn::TFromD<D>*>(out));
  }
};

HWY_INLINE bool CanStream(const Row& row, std::size_t pixel_bytes) {
  constexpr std::uintptr_t line = 64;
  const auto place = reinterpret_cast<std::uintptr_t>(row.out);
  return row.stream && (place | row.plane_bytes | row.width * pixel_bytes) % line == 0;
}

// ---------------------------------------------------------------- element types

using Narrow = hn::Rebind<std::uint16_t, Floats>;

struct Float32 {
  using Bits = std::uint32_t;
  template <class Stores>
  static HWY_INLINE void Write(Vector v, std::byte* out) {
    Stores::Store(floats, v, out);
  }
};

struct Float16 {
  using Bits = std::uint16_t;
  template <class Stores>
  static HWY_INLINE void Write(Vector v, std::byte* out) {
    const hn::Rebind<hwy::float16_t, Floats> d;
    Stores::Store(Narrow(), hn::BitCast(Narrow(), hn::DemoteTo(d, v)), out);
  }
};

struct Bfloat16 {
  using Bits = std::uint16_t;
  // Highway's own conversion truncates; torch rounds to nearest even.
  template <class Stores>
  static HWY_INLINE void Write(Vector v, std::byte* out) {
    const hn::RebindToUnsigned<Floats> d32;
    const auto bits = hn::BitCast(d32, v);
    const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(d32, 1));
    const auto rounded = hn::Add(hn::Add(bits, hn::Set(d32, 0x7FFF)), odd);
    Stores::Store(Narrow(), hn::TruncateTo(Narrow(), hn::ShiftRight<16>(rounded)), out);
  }
};

// ---------------------------------------------------------------- by formula

HWY_INLINE Vector Pixels(const std::uint8_t* in) {
  const hn::RebindToSigned<Floats> d32;
  const hn::Rebind<std::uint8_t, Floats> d8;
  return hn::ConvertTo(floats, hn::PromoteTo(d32, hn::LoadU(d8, in)));
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
template <class Type, class Stores>
HWY_INLINE void ComputePlane(const Formula& f, std::size_t c, const std::uint8_t* in, std::size_t n,
                             std::byte* out) {
  const Vector scale = hn::Set(floats, f.scale);
  const Vector mean = hn::Set(floats, f.mean[c]);
  const Vector inverse_high = hn::Set(floats, f.inverse_high[c]);
  const Vector inverse_low = hn::Set(floats, f.inverse_low[c]);
  const auto compute = [&](std::size_t x) HWY_ATTR {
    Type::template Write<Stores>(Computed(in + x, scale, mean, inverse_high, inverse_low),
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
HWY_INLINE void ComputeInterleaved(const Formula& f, const std::uint8_t* in, std::size_t n,
                                   std::byte* out) {
  const std::size_t lanes = hn::Lanes(floats);
  const Vector scale = hn::Set(floats, f.scale);
  const auto compute = [&](std::size_t x) HWY_ATTR {
    for (std::size_t i = 0; i < 3 * lanes; i += lanes) {
      Type::template Write<Stores>(
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

/// Calls `entry(pixel, x)` for each column x of the result.
template <class Entry>
HWY_INLINE void ForEachPixel(const Row& row, const Entry& entry) {
  const std::ptrdiff_t step = row.flip ? -3 : 3;
  const std::uint8_t* pixel = row.flip ? row.rgb + 3 * (row.width - 1) : row.rgb;
  for (std::size_t x = 0; x < row.width; ++x, pixel += step) entry(pixel, x);
}

template <class Type>
void LookUpPlanar(const Encoding& encoding, const Row& row) {
  ForEachPixel(row, [&](const std::uint8_t* pixel, std::size_t x) {
    std::byte* place = row.out + x * sizeof(typename Type::Bits);
    StoreEntry<Type>(encoding.bits[0][pixel[0]], place);
    StoreEntry<Type>(encoding.bits[1][pixel[1]], place + row.plane_bytes);
    StoreEntry<Type>(encoding.bits[2][pixel[2]], place + 2 * row.plane_bytes);
  });
}

template <class Type>
void LookUpInterleaved(const Encoding& encoding, const Row& row) {
  constexpr std::size_t size = sizeof(typename Type::Bits);
  ForEachPixel(row, [&](const std::uint8_t* pixel, std::size_t x) {
    std::byte* place = row.out + 3 * x * size;
    StoreEntry<Type>(encoding.bits[0][pixel[0]], place);
    StoreEntry<Type>(encoding.bits[1][pixel[1]], place + size);
    StoreEntry<Type>(encoding.bits[2][pixel[2]], place + 2 * size);
  });
}

// ---------------------------------------------------------------- rows

/// Calls `block(scratch, x, n)` for parts of the row: n pixels that have been split into the
/// scratch's planes, in the result's order, and go to column x.
template <class Block>
HWY_INLINE void ForEachSplitBlock(const Row& row, const Block& block) {
  Scratch scratch;
  ForEachBlock(row.width, [&](std::size_t x, std::size_t n) HWY_ATTR {
    if (row.flip) {
      Split<true>(row.rgb + 3 * x, n, scratch);
    } else {
      Split<false>(row.rgb + 3 * x, n, scratch);
    }
    block(scratch, row.flip ? row.width - x - n : x, n);
  });
}

/// The same with mirrored pixels that stay interleaved.
template <class Block>
HWY_INLINE void ForEachMirroredBlock(const Row& row, const Block& block) {
  Scratch scratch;
  ForEachBlock(row.width, [&](std::size_t x, std::size_t n) HWY_ATTR {
    Mirror(row.rgb + 3 * x, n, scratch);
    block(scratch, row.width - x - n, n);
  });
}

template <class Type, class Stores>
HWY_INLINE void ComputeRowPlanar(const Encoding& encoding, const Row& row) {
  ForEachSplitBlock(row, [&](Scratch& scratch, std::size_t x, std::size_t n) HWY_ATTR {
    std::byte* place = row.out + x * sizeof(typename Type::Bits);
    for (std::size_t c = 0; c < 3; ++c) {
      ComputePlane<Type, Stores>(encoding.formula, c, scratch.plane(c), n,
                                 place + c * row.plane_bytes);
    }
  });
}

template <class Type, class Stores>
HWY_INLINE void ComputeRowInterleaved(const Encoding& encoding, const Row& row) {
  if (!row.flip) {
    return ComputeInterleaved<Type, Stores>(encoding.formula, row.rgb, row.width, row.out);
  }
  ForEachMirroredBlock(row, [&](Scratch& scratch, std::size_t x, std::size_t n) HWY_ATTR {
    ComputeInterleaved<Type, Stores>(encoding.formula, scratch.interleaved(), n,
                                     row.out + 3 * x * sizeof(typename Type::Bits));
  });
}

template <class Type>
void WritePlanar(const Encoding& encoding, const Row& row) {
  if (row.width < hn::Lanes(floats)) return LookUpPlanar<Type>(encoding, row);
  if (CanStream(row, sizeof(typename Type::Bits))) {
    return ComputeRowPlanar<Type, StreamingStores>(encoding, row);
  }
  ComputeRowPlanar<Type, PlainStores>(encoding, row);
}

template <class Type>
void WriteInterleaved(const Encoding& encoding, const Row& row) {
  if (row.width < hn::Lanes(floats)) return LookUpInterleaved<Type>(encoding, row);
  if (CanStream(row, 3 * sizeof(typename Type::Bits))) {
    return ComputeRowInterleaved<Type, StreamingStores>(encoding, row);
  }
  ComputeRowInterleaved<Type, PlainStores>(encoding, row);
}

void CopyPlanar(const Encoding& /*encoding*/, const Row& row) {
  ForEachSplitBlock(row, [&](Scratch& scratch, std::size_t x, std::size_t n) HWY_ATTR {
    for (std::size_t c = 0; c < 3; ++c) {
      std::memcpy(row.out + x + c * row.plane_bytes, scratch.plane(c), n);
    }
  });
}

void CopyInterleaved(const Encoding& /*encoding*/, const Row& row) {
  if (!row.flip) {
    std::memcpy(row.out, row.rgb, 3 * row.width);
    return;
  }
  ForEachMirroredBlock(row, [&](Scratch& scratch, std::size_t x, std::size_t n) HWY_ATTR {
    std::memcpy(row.out + 3 * x, scratch.interleaved(), 3 * n);
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
  a(encoding, {grey, 256, false, false, result[0], 256 * size});
  b(encoding, {grey, 256, false, false, result[1], 256 * size});
  return std::memcmp(result[0], result[1], sizeof(result[0])) == 0;
}

template <class Type>
Kernel ChooseFor(const Encoding& encoding) {
  const bool planar = encoding.layout == Layout::NCHW;
  const Kernel table{planar ? LookUpPlanar<Type> : LookUpInterleaved<Type>, false};
#if HWY_NATIVE_FMA
  const Kernel formula{planar ? WritePlanar<Type> : WriteInterleaved<Type>, true};
  if (Agree<Type>(encoding, formula.write_row, table.write_row)) return formula;
#endif
  return table;
}

Kernel Choose(const Encoding& encoding) {
  switch (encoding.dtype) {
    case DType::float32: return ChooseFor<Float32>(encoding);
    case DType::float16: return ChooseFor<Float16>(encoding);
    case DType::bfloat16: return ChooseFor<Bfloat16>(encoding);
    default: return {encoding.layout == Layout::NCHW ? CopyPlanar : CopyInterleaved, false};
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
