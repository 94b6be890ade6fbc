#include <stoker/transforms/center_crop.hpp>

#include "transforms/parameters.hpp"

#include <fmt/format.h>

namespace stoker {
namespace {

// torchvision computes int(round(space / 2.0)), and Python rounds a half to the even number.
int half_rounded_to_even(int space) {
  const int half = space / 2;
  return space % 2 == 0 ? half : half + half % 2;
}

int offset(int image, int size) {
  return size > image ? -((size - image) / 2) : half_rounded_to_even(image - size);
}

}  // namespace

Rect center_crop_box(Size image, Size size) {
  return {offset(image.height, size.height), offset(image.width, size.width), size.height,
          size.width};
}

CenterCrop::CenterCrop(Size size) : size_(size) {
  parameters::require("center_crop", parameters::valid_size("size", size));
}

Status CenterCrop::apply(Canvas& canvas, Random& /*random*/) const {
  const Size image = canvas.size();
  const Rect box = center_crop_box(image, size_);
  return box.inside(image) ? canvas.crop(box) : canvas.crop_padded(box, 0);
}

std::optional<Size> CenterCrop::output_size(std::optional<Size> /*input*/) const { return size_; }

std::string CenterCrop::text() const {
  return fmt::format("center_crop(size={})", size_text(size_));
}

Step center_crop(Size size) { return std::make_shared<CenterCrop>(size); }

Step center_crop(int edge) { return center_crop(Size{edge, edge}); }

Step make_center_crop(Arguments& arguments) {
  const Size size = square_or_size(arguments, "size");
  arguments.finish();
  return center_crop(size);
}

}  // namespace stoker
