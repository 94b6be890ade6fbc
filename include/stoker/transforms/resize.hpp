#pragma once

#include <stoker/core/arguments.hpp>
#include <stoker/transforms/resample.hpp>
#include <stoker/transforms/transform.hpp>

namespace stoker {

/// Resizes the whole image, to the bit as torchvision's functional `resize` does with a Pillow
/// image. A size of one number is the length of the short edge; the long edge is then int(size *
/// long / short).
class Resize final : public Transform {
 public:
  /// Both throw Error(invalid_argument) for an edge outside 1..65535 and for antialias = false,
  /// except with nearest, which has no antialiasing either way.
  Resize(int short_edge, Interpolation interpolation, bool antialias);
  Resize(Size size, Interpolation interpolation, bool antialias);

  /// Fails with image_too_large where the long edge would be longer than 65535.
  Status apply(Canvas& canvas, Random& random) const override;
  std::optional<Size> output_size(std::optional<Size> input) const override;
  std::string text() const override;

 private:
  Size target(Size input) const;

  int short_edge_ = 0;  ///< 0: size_ says it all
  Size size_;
  Interpolation interpolation_;
  bool antialias_;
};

/// Returns the size of an image whose short edge is brought to `short_edge`; the long edge is
/// rounded towards zero and not limited, so at most 2^31 - 1.
Size short_edge_size(Size image, int short_edge);

/// Makes a step of Resize, with its errors.
Step resize(int short_edge, Interpolation interpolation = Interpolation::bilinear,
            bool antialias = true);
Step resize(Size size, Interpolation interpolation = Interpolation::bilinear,
            bool antialias = true);

/// resize(size, interpolation=bilinear, antialias=true). @throws Error(invalid_pipeline)
Step make_resize(Arguments& arguments);

}  // namespace stoker
