#pragma once

#include <stoker/core/image.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace stoker::test {

/// Horizontal and vertical sampling factors of one colour component.
struct Sampling {
  int horizontal = 1;
  int vertical = 1;
};

/// How `write_jpeg` codes an image.
struct JpegRecipe {
  Size size{48, 64};
  int components = 3;  ///< 1 gray, 3 YCbCr, 4 YCCK
  std::array<Sampling, 4> sampling{};
  bool progressive = false;
  bool interleaved = true;  ///< all components in one scan; else one scan each
  bool arithmetic = false;
  int restart_rows = 0;
  int quality = 90;
  std::uint32_t seed = 1;

  std::string text() const;
};

/// Returns a JPEG file with coarse noise in every colour, in which no two neighbours are alike, so
/// that every wrong neighbour shows.
std::vector<std::byte> write_jpeg(const JpegRecipe& recipe);

}  // namespace stoker::test
