#include "transforms/finish_kernels.hpp"

#include <stoker/core/image.hpp>

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "transforms/finish_kernels.cpp"
#include <hwy/foreach_target.h>
// Everything below is compiled once for each target.
#include "transforms/finish_formula-inl.hpp"
#include "transforms/finish_pixels-inl.hpp"

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

HWY_BEFORE_NAMESPACE();
namespace stoker::finish::HWY_NAMESPACE {
namespace {

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
