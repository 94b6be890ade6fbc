#pragma once

#include <stoker/transforms/canvas.hpp>
#include <stoker/transforms/transform.hpp>

#include <string>
#include <vector>

namespace stoker::testing {

/// Does at once and in the plainest way what it is asked for, and notes it.
class EagerCanvas final : public Canvas {
 public:
  explicit EagerCanvas(Image image) : image_(std::move(image)) {}

  Size size() const override { return image_.size(); }
  Status crop(const Rect& rect) override;
  Status crop_padded(const Rect& rect, std::uint8_t fill) override;
  Status resize(Size size, Interpolation interpolation) override;
  Status flip_horizontally() override;
  Result<Image*> pixels() override { return &image_; }

  const Image& image() const { return image_; }
  /// What was asked for, in order: "crop [1, 2] 3x4", "pad 0 [-1, 2] 3x4", "resize 3x4 bilinear",
  /// "flip".
  const std::vector<std::string>& calls() const { return calls_; }

 private:
  Image image_;
  std::vector<std::string> calls_;
};

/// An image whose every pixel tells its place: red the row, green the column, blue a mixture.
Image chart(Size size);

/// A deterministic image without structure.
Image noise(Size size, std::uint64_t seed);

/// Applies a transform to an image of that size with the random numbers of that seed; gives the
/// canvas.
EagerCanvas applied(const Step& step, Image image, std::uint64_t seed = 1);

/// Applies a transform that must fail, and gives the failure.
Failure failure_of(const Step& step, Size size);

/// The pixels of a row-major image as [y][x][c] bytes.
std::vector<std::uint8_t> pixels_of(const Image& image);

const Transform& as_transform(const Step& step);

}  // namespace stoker::testing
