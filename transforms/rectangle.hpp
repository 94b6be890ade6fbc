#pragma once

#include "transforms/parameters.hpp"
#include <stoker/core/arguments.hpp>
#include <stoker/core/error.hpp>
#include <stoker/transforms/canvas.hpp>

namespace stoker::parameters {

/// Checks that a rectangle can lie inside an image: place >= 0, edges in 1..max_edge.
Check valid_rectangle(const Rect& rect);
/// Takes top, left, height and width. @throws Error(invalid_pipeline) as valid_rectangle says.
Rect rectangle(Arguments& arguments);
/// "top=1, left=2, height=3, width=4"
std::string rectangle_text(const Rect& rect);
/// Crops, or fails with a message that names the operation, the rectangle and the image's size.
Status crop_inside(Canvas& canvas, const Rect& rect, std::string_view operation);

}  // namespace stoker::parameters
