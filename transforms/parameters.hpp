#pragma once

#include <stoker/core/arguments.hpp>
#include <stoker/core/image.hpp>
#include <stoker/transforms/resample.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace stoker::parameters {

/// The longest edge that an image may be asked to have.
inline constexpr int max_edge = 65535;

/// What is wrong with one parameter. One check serves code, which gets invalid_argument, and text,
/// which gets invalid_pipeline with the column.
struct Flaw {
  std::string_view parameter;
  std::string why;
};
using Check = std::optional<Flaw>;

/// @throws Error(invalid_argument) where `check` found a flaw.
void require(std::string_view operation, const Check& check);
/// @throws Error(invalid_pipeline) that points at the flawed parameter.
void require(const Arguments& arguments, const Check& check);

/// Checks that low <= value <= high; not-a-number is refused too.
Check within(std::string_view parameter, double value, double low, double high);
/// Checks that both edges are in 1..max_edge.
Check valid_size(std::string_view parameter, Size size);
/// Pillow's bilinear and bicubic are always antialiased; its nearest has no such switch.
Check valid_antialias(Interpolation interpolation, bool antialias);

int integer(Arguments& arguments, std::string_view name, std::optional<int> otherwise = {});
/// Takes `interpolation`, which is bilinear where it is absent.
Interpolation interpolation(Arguments& arguments);

/// "interpolation=bilinear, antialias=true"
std::string resampling_text(Interpolation interpolation, bool antialias);
/// "480x640", height first.
std::string edges_text(Size size);

}  // namespace stoker::parameters
