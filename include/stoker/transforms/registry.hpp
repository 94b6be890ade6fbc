#pragma once

#include <stoker/core/arguments.hpp>
#include <stoker/core/operation.hpp>

#include <span>
#include <string_view>

namespace stoker {

/// An operation of the pipeline language.
struct OperationEntry {
  std::string_view name;
  /// The parameters with their defaults: "size, interpolation=bilinear, antialias=true".
  std::string_view signature;
  /// One line that says what it does.
  std::string_view summary;
  /// Makes the step. @throws Error(invalid_pipeline)
  Step (*make)(Arguments& arguments);
};

/// Returns all operations that change pixels or values, the geometric ones first. `decode` is not
/// among them.
std::span<const OperationEntry> transform_operations();

}  // namespace stoker
