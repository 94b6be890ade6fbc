#include <stoker/transforms/random_horizontal_flip.hpp>

#include "transforms/parameters.hpp"

#include <fmt/format.h>

namespace stoker {

RandomHorizontalFlip::RandomHorizontalFlip(double p) : p_(p) {
  parameters::require("random_horizontal_flip", parameters::within("p", p, 0, 1));
}

Status RandomHorizontalFlip::apply(Canvas& canvas, Random& random) const {
  return random.bernoulli(p_) ? canvas.flip_horizontally() : Status{};
}

std::string RandomHorizontalFlip::text() const {
  return fmt::format("random_horizontal_flip(p={})", number_text(p_));
}

Step random_horizontal_flip(double p) { return std::make_shared<RandomHorizontalFlip>(p); }

Step make_random_horizontal_flip(Arguments& arguments) {
  const double p = arguments.number("p", 0.5);
  parameters::require(arguments, parameters::within("p", p, 0, 1));
  arguments.finish();
  return random_horizontal_flip(p);
}

}  // namespace stoker
