#include <stoker/transforms/horizontal_flip.hpp>

namespace stoker {

Status HorizontalFlip::apply(Canvas& canvas, Random& /*random*/) const {
  return canvas.flip_horizontally();
}

Step horizontal_flip() { return std::make_shared<HorizontalFlip>(); }

Step make_horizontal_flip(Arguments& arguments) {
  arguments.finish();
  return horizontal_flip();
}

}  // namespace stoker
