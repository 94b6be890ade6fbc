// Splits rows of interleaved pixels into planes and mirrors them, for the CPU that Highway compiles
// for at the moment.

#if defined(STOKER_TRANSFORMS_FINISH_PIXELS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef STOKER_TRANSFORMS_FINISH_PIXELS_INL_HPP
#undef STOKER_TRANSFORMS_FINISH_PIXELS_INL_HPP
#else
#define STOKER_TRANSFORMS_FINISH_PIXELS_INL_HPP
#endif

#include <stoker/core/image.hpp>

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace stoker::finish::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

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
HWY_INLINE void for_each_block(std::size_t width, const Block& block) {
  std::size_t x = 0;
  for (; width - x > scratch_pixels; x += block_pixels) block(x, block_pixels);
  block(x, width - x);
}

/// The same pixels from right to left. A vector of the scalar target has one, and no table to look
/// in.
template <class D, class V>
HWY_INLINE V reversed([[maybe_unused]] D d, V v) {
#if HWY_TARGET == HWY_SCALAR
  return v;
#else
  alignas(16) static constexpr std::uint8_t order[16] = {15, 14, 13, 12, 11, 10, 9, 8,
                                                         7,  6,  5,  4,  3,  2,  1, 0};
  return hn::ReverseBlocks(d, hn::TableLookupBytes(v, hn::LoadDup128(d, order)));
#endif
}

/// Calls `step(d, x)` for vectors of d's pixels from x on, until n are covered. Long vectors only
/// where they end inside the n pixels: 16 pixels read at most 45 bytes too far, which
/// Image::padding allows.
template <class Step>
HWY_INLINE void for_each_vector(std::size_t n, const Step& step) {
  static_assert(3 * 15 <= Image::padding);
  const hn::ScalableTag<std::uint8_t> d;
  const hn::CappedTag<std::uint8_t, 16> short_d;
  std::size_t x = 0;
  for (; x + hn::Lanes(d) <= n; x += hn::Lanes(d)) step(d, x);
  for (; x < n; x += hn::Lanes(short_d)) step(short_d, x);
}

template <bool flip>
HWY_INLINE void split(const std::uint8_t* rgb, std::size_t n, Scratch& scratch) {
  for_each_vector(n, [&](auto d, std::size_t x) HWY_ATTR {
    hn::Vec<decltype(d)> r, g, b;
    hn::LoadInterleaved3(d, rgb + 3 * x, r, g, b);
    if constexpr (flip) {
      r = reversed(d, r);
      g = reversed(d, g);
      b = reversed(d, b);
    }
    const std::ptrdiff_t to =
        flip ? static_cast<std::ptrdiff_t>(n - x) - static_cast<std::ptrdiff_t>(hn::Lanes(d))
             : static_cast<std::ptrdiff_t>(x);
    hn::StoreU(r, d, scratch.plane(0) + to);
    hn::StoreU(g, d, scratch.plane(1) + to);
    hn::StoreU(b, d, scratch.plane(2) + to);
  });
}

HWY_INLINE void mirror(const std::uint8_t* rgb, std::size_t n, Scratch& scratch) {
  for_each_vector(n, [&](auto d, std::size_t x) HWY_ATTR {
    hn::Vec<decltype(d)> r, g, b;
    hn::LoadInterleaved3(d, rgb + 3 * x, r, g, b);
    const std::ptrdiff_t to =
        static_cast<std::ptrdiff_t>(n - x) - static_cast<std::ptrdiff_t>(hn::Lanes(d));
    hn::StoreInterleaved3(reversed(d, r), reversed(d, g), reversed(d, b), d,
                          scratch.interleaved() + 3 * to);
  });
}

}  // namespace stoker::finish::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
