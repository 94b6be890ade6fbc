#include "transforms/rectangle.hpp"

#include <fmt/format.h>

namespace stoker::parameters {

Check valid_rectangle(const Rect& rect) {
  Check check = within("top", rect.top, 0, max_edge);
  if (!check) check = within("left", rect.left, 0, max_edge);
  if (!check) check = within("height", rect.height, 1, max_edge);
  if (!check) check = within("width", rect.width, 1, max_edge);
  return check;
}

Rect rectangle(Arguments& arguments) {
  Rect rect;
  rect.top = integer(arguments, "top");
  rect.left = integer(arguments, "left");
  rect.height = integer(arguments, "height");
  rect.width = integer(arguments, "width");
  require(arguments, valid_rectangle(rect));
  return rect;
}

std::string rectangle_text(const Rect& rect) {
  return fmt::format("top={}, left={}, height={}, width={}", rect.top, rect.left, rect.height,
                     rect.width);
}

Status crop_inside(Canvas& canvas, const Rect& rect, std::string_view operation) {
  if (rect.inside(canvas.size())) return canvas.crop(rect);
  return fail(ErrorCode::crop_out_of_bounds,
              fmt::format("{}: the rectangle {} does not lie inside an image of {}", operation,
                          rectangle_text(rect), edges_text(canvas.size())));
}

}  // namespace stoker::parameters
