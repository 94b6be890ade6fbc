#include <stoker/transforms/registry.hpp>

#include <stoker/transforms/center_crop.hpp>
#include <stoker/transforms/crop.hpp>
#include <stoker/transforms/horizontal_flip.hpp>
#include <stoker/transforms/normalize.hpp>
#include <stoker/transforms/random_crop.hpp>
#include <stoker/transforms/random_horizontal_flip.hpp>
#include <stoker/transforms/random_resized_crop.hpp>
#include <stoker/transforms/resize.hpp>
#include <stoker/transforms/resized_crop.hpp>
#include <stoker/transforms/to.hpp>

#include <array>

namespace stoker {

std::span<const OperationEntry> transform_operations() {
  static constexpr std::array entries{
      OperationEntry{"resize", "size, interpolation=bilinear, antialias=true",
                     "resizes to [height, width], or the short edge to one number", make_resize},
      OperationEntry{"crop", "top, left, height, width", "keeps a rectangle inside the image",
                     make_crop},
      OperationEntry{"center_crop", "size",
                     "keeps the middle, padded with zeros where it is smaller", make_center_crop},
      OperationEntry{"resized_crop",
                     "top, left, height, width, size, interpolation=bilinear, antialias=true",
                     "crops to a rectangle and resizes it", make_resized_crop},
      OperationEntry{"horizontal_flip", "", "mirrors the image", make_horizontal_flip},
      OperationEntry{"random_crop", "size, padding=0, pad_if_needed=false, fill=0",
                     "keeps a rectangle at a random place", make_random_crop},
      OperationEntry{"random_resized_crop",
                     "size, scale=[0.08, 1], ratio=[0.75, 1.3333333333333333], "
                     "interpolation=bilinear, antialias=true",
                     "crops to a random area and ratio, and resizes", make_random_resized_crop},
      OperationEntry{"random_horizontal_flip", "p=0.5", "mirrors the image with probability p",
                     make_random_horizontal_flip},
      OperationEntry{"normalize", "mean, std",
                     "(pixel / 255 - mean) / std in float32; normalize(imagenet) knows both",
                     make_normalize},
      OperationEntry{"to", "dtype, layout=NCHW, scale=true",
                     "converts to uint8, float16, bfloat16 or float32, and to NCHW or NHWC",
                     make_to},
  };
  return entries;
}

}  // namespace stoker
