#pragma once

#include <stoker/core/dtype.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace stoker::finish {

/// The formula (v * scale - mean) / std for vector arithmetic: the division is a multiplication by
/// the reciprocal, which is kept as the sum high + low of two float32. What depends on the channel
/// repeats with period 3, so that vectors of up to 16 lanes can be loaded at each of the first 3 *
/// 16 lanes of interleaved pixels; element c is channel c's.
struct Formula {
  static constexpr std::size_t lanes = 16;
  using Pattern = std::array<float, 3 * lanes>;

  float scale = 1;
  alignas(64) Pattern mean{};
  alignas(64) Pattern inverse_high{};
  alignas(64) Pattern inverse_low{};
};

/// What a row of pixels becomes.
struct Encoding {
  DType dtype = DType::uint8;
  Layout layout = Layout::NCHW;
  /// The bits of each channel's 256 values; 16-bit types in the lower half. Unused for uint8.
  std::array<std::array<std::uint32_t, 256>, 3> bits{};
  Formula formula;
};

/// A row of pixels and where it goes.
struct Row {
  const std::uint8_t* rgb = nullptr;  ///< interleaved; may be read Image::padding bytes too far
  std::size_t width = 0;              ///< pixels, at least 1
  bool flip = false;
  bool stream = false;          ///< write past the caches where whole cache lines can be written
  std::byte* out = nullptr;     ///< NCHW: three rows, `plane_bytes` apart
  std::size_t plane_bytes = 0;  ///< NCHW only
};

using WriteRow = void (*)(const Encoding& encoding, const Row& row);

struct Kernel {
  WriteRow write_row = nullptr;
  bool computes = false;  ///< by formula, not by table
};

/// Returns this machine's fastest kernel whose results are the encoding's bits.
Kernel choose_kernel(const Encoding& encoding);

}  // namespace stoker::finish
