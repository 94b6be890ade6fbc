#pragma once

#include "cli/photo_plane.hpp"
#include <stoker/core/random.hpp>

#include <cstdint>
#include <vector>

namespace stoker::cli {

/// An ellipse with a color and a surface of its own.
struct Shape {
  double x, y;            ///< of the center
  double across, along;   ///< half axes
  double cosine, sine;    ///< of the turn
  float luma, blue, red;  ///< are added to the channels
  float roughness;        ///< is added to the logarithm of detail's strength
};

/// A painted picture: what is smooth or an edge, and the fine detail on it, apart, so that the
/// detail can be made weaker or stronger until the file has the size it should have.
class Painting {
 public:
  /// Paints surfaces and shapes with a 1/f spectrum, out of focus here and rough there.
  Painting(int width, int height, Random& random);

  int width() const noexcept { return luma_.base.width(); }
  int height() const noexcept { return luma_.base.height(); }

  /// Writes a row as interleaved Y, Cb, Cr, its detail taken `detail` times.
  void write_ycbcr(int y, float detail, std::uint8_t* row) const;
  /// Writes a row's Y alone.
  void write_luma(int y, float detail, std::uint8_t* row) const;

 private:
  struct Channel {
    Plane base;
    Plane detail;
  };

  Channel paint_chroma(const std::vector<Shape>& shapes, float Shape::*color,
                       const Plane& roughness, Random& random) const;

  Channel luma_;
  Channel blue_;
  Channel red_;
};

}  // namespace stoker::cli
