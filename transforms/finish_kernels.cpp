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
HWY_INLINE void store_entry(std::uint32_t bits, std::byte* out) {
  const auto narrow = static_cast<typename Type::Bits>(bits);
  std::memcpy(out, &narrow, sizeof(narrow));
}

/// Calls `entry(pixel, x)` for each column x of the result.
template <class Entry>
HWY_INLINE void for_each_pixel(const Row& row, const Entry& entry) {
  const std::ptrdiff_t step = row.flip ? -3 : 3;
  const std::uint8_t* pixel = row.flip ? row.rgb + 3 * (row.width - 1) : row.rgb;
  for (std::size_t x = 0; x < row.width; ++x, pixel += step) entry(pixel, x);
}

template <class Type>
void look_up_planar(const Encoding& encoding, const Row& row) {
  for_each_pixel(row, [&](const std::uint8_t* pixel, std::size_t x) {
    std::byte* place = row.out + x * sizeof(typename Type::Bits);
    store_entry<Type>(encoding.bits[0][pixel[0]], place);
    store_entry<Type>(encoding.bits[1][pixel[1]], place + row.plane_bytes);
    store_entry<Type>(encoding.bits[2][pixel[2]], place + 2 * row.plane_bytes);
  });
}

template <class Type>
void look_up_interleaved(const Encoding& encoding, const Row& row) {
  constexpr std::size_t size = sizeof(typename Type::Bits);
  for_each_pixel(row, [&](const std::uint8_t* pixel, std::size_t x) {
    std::byte* place = row.out + 3 * x * size;
    store_entry<Type>(encoding.bits[0][pixel[0]], place);
    store_entry<Type>(encoding.bits[1][pixel[1]], place + size);
    store_entry<Type>(encoding.bits[2][pixel[2]], place + 2 * size);
  });
}

// ---------------------------------------------------------------- rows

/// Calls `block(scratch, x, n)` for parts of the row: n pixels that have been split into the
/// scratch's planes, in the result's order, and go to column x.
template <class Block>
HWY_INLINE void for_each_split_block(const Row& row, const Block& block) {
  Scratch scratch;
  for_each_block(row.width, [&](std::size_t x, std::size_t n) HWY_ATTR {
    if (row.flip) {
      split<true>(row.rgb + 3 * x, n, scratch);
    } else {
      split<false>(row.rgb + 3 * x, n, scratch);
    }
    block(scratch, row.flip ? row.width - x - n : x, n);
  });
}

/// The same with mirrored pixels that stay interleaved.
template <class Block>
HWY_INLINE void for_each_mirrored_block(const Row& row, const Block& block) {
  Scratch scratch;
  for_each_block(row.width, [&](std::size_t x, std::size_t n) HWY_ATTR {
    mirror(row.rgb + 3 * x, n, scratch);
    block(scratch, row.width - x - n, n);
  });
}

template <class Type, class Stores>
HWY_INLINE void compute_row_planar(const Encoding& encoding, const Row& row) {
  for_each_split_block(row, [&](Scratch& scratch, std::size_t x, std::size_t n) HWY_ATTR {
    std::byte* place = row.out + x * sizeof(typename Type::Bits);
    for (std::size_t c = 0; c < 3; ++c) {
      compute_plane<Type, Stores>(encoding.formula, c, scratch.plane(c), n,
                                  place + c * row.plane_bytes);
    }
  });
}

template <class Type, class Stores>
HWY_INLINE void compute_row_interleaved(const Encoding& encoding, const Row& row) {
  if (!row.flip) {
    return compute_interleaved<Type, Stores>(encoding.formula, row.rgb, row.width, row.out);
  }
  for_each_mirrored_block(row, [&](Scratch& scratch, std::size_t x, std::size_t n) HWY_ATTR {
    compute_interleaved<Type, Stores>(encoding.formula, scratch.interleaved(), n,
                                      row.out + 3 * x * sizeof(typename Type::Bits));
  });
}

template <class Type>
void write_planar(const Encoding& encoding, const Row& row) {
  if (row.width < hn::Lanes(floats)) return look_up_planar<Type>(encoding, row);
  if (can_stream(row, sizeof(typename Type::Bits))) {
    return compute_row_planar<Type, StreamingStores>(encoding, row);
  }
  compute_row_planar<Type, PlainStores>(encoding, row);
}

template <class Type>
void write_interleaved(const Encoding& encoding, const Row& row) {
  if (row.width < hn::Lanes(floats)) return look_up_interleaved<Type>(encoding, row);
  if (can_stream(row, 3 * sizeof(typename Type::Bits))) {
    return compute_row_interleaved<Type, StreamingStores>(encoding, row);
  }
  compute_row_interleaved<Type, PlainStores>(encoding, row);
}

void copy_planar(const Encoding& /*encoding*/, const Row& row) {
  for_each_split_block(row, [&](Scratch& scratch, std::size_t x, std::size_t n) HWY_ATTR {
    for (std::size_t c = 0; c < 3; ++c) {
      std::memcpy(row.out + x + c * row.plane_bytes, scratch.plane(c), n);
    }
  });
}

void copy_interleaved(const Encoding& /*encoding*/, const Row& row) {
  if (!row.flip) {
    std::memcpy(row.out, row.rgb, 3 * row.width);
    return;
  }
  for_each_mirrored_block(row, [&](Scratch& scratch, std::size_t x, std::size_t n) HWY_ATTR {
    std::memcpy(row.out + 3 * x, scratch.interleaved(), 3 * n);
  });
}

// ---------------------------------------------------------------- choice

/// True where both give the same bits for each of the 256 values in each channel.
template <class Type>
bool agree(const Encoding& encoding, WriteRow a, WriteRow b) {
  constexpr std::size_t size = sizeof(typename Type::Bits);
  std::uint8_t grey[256 * 3 + Image::padding] = {};
  for (std::size_t i = 0; i < 256 * 3; ++i) grey[i] = static_cast<std::uint8_t>(i / 3);
  std::byte result[2][256 * 3 * size];
  a(encoding, {grey, 256, false, false, result[0], 256 * size});
  b(encoding, {grey, 256, false, false, result[1], 256 * size});
  return std::memcmp(result[0], result[1], sizeof(result[0])) == 0;
}

template <class Type>
Kernel choose_for(const Encoding& encoding) {
  const bool planar = encoding.layout == Layout::NCHW;
  const Kernel table{planar ? look_up_planar<Type> : look_up_interleaved<Type>, false};
#if HWY_NATIVE_FMA
  const Kernel formula{planar ? write_planar<Type> : write_interleaved<Type>, true};
  if (agree<Type>(encoding, formula.write_row, table.write_row)) return formula;
#endif
  return table;
}

Kernel choose(const Encoding& encoding) {
  switch (encoding.dtype) {
    case DType::float32: return choose_for<Float32>(encoding);
    case DType::float16: return choose_for<Float16>(encoding);
    case DType::bfloat16: return choose_for<Bfloat16>(encoding);
    default: return {encoding.layout == Layout::NCHW ? copy_planar : copy_interleaved, false};
  }
}

}  // namespace
}  // namespace stoker::finish::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stoker::finish {

HWY_EXPORT(choose);

Kernel choose_kernel(const Encoding& encoding) { return HWY_DYNAMIC_DISPATCH(choose)(encoding); }

}  // namespace stoker::finish
#endif
