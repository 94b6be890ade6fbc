#pragma once

#include <stoker/core/image.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace stoker {

/// A value in the pipeline language: number, word (`bilinear`, `true`) or list; with the column
/// where it stands, counted from 1, so that messages can point at it.
struct Value {
  std::variant<double, std::string, std::vector<Value>> data;
  std::size_t column = 0;
};

/// The arguments of one operation, taken by name or by place. A factory takes what it knows, each
/// once and in the order of the parameters, then calls `finish`. Every mistake is thrown as
/// Error(invalid_pipeline) that names operation, parameter and column. Not thread-safe.
class Arguments {
 public:
  Arguments(std::string operation, std::size_t column, std::vector<Value> positional,
            std::vector<std::pair<std::string, Value>> named);

  const std::string& operation() const noexcept { return operation_; }

  // Each returns the parameter's value or, where it is absent, the default; without a default the
  // parameter is required.
  double number(std::string_view name, std::optional<double> otherwise = {});
  std::int64_t integer(std::string_view name, std::optional<std::int64_t> otherwise = {});
  bool boolean(std::string_view name, std::optional<bool> otherwise = {});
  std::string word(std::string_view name, std::optional<std::string> otherwise = {});
  std::vector<double> numbers(std::string_view name,
                              std::optional<std::vector<double>> otherwise = {});
  std::vector<std::int64_t> integers(std::string_view name,
                                     std::optional<std::vector<std::int64_t>> otherwise = {});

  /// Fails, pointing at the parameter taken last: "resize: size must be positive (column 8)".
  [[noreturn]] void reject(std::string_view name, const std::string& why) const;
  /// Fails where an argument was given that nobody took.
  void finish() const;

 private:
  const Value* take(std::string_view name);
  /// Points at an argument that nobody took yet: most likely the missing one, misspelt.
  [[noreturn]] void missing(std::string_view name) const;

  std::string operation_;
  std::size_t column_;
  std::vector<Value> positional_;
  std::vector<std::pair<std::string, Value>> named_;
  std::size_t next_positional_ = 0;
  std::vector<bool> named_taken_;
  std::vector<std::string> known_;
  std::vector<std::pair<std::string, std::size_t>> columns_;
};

/// Reads a height and width written as one number or as [height, width].
/// @throws Error(invalid_pipeline) unless both are in 1..65535.
Size square_or_size(Arguments& arguments, std::string_view name);

/// Writes a number so that reading it gives the same number again: "0.08", "224".
std::string number_text(double value);
/// "[32, 48]"
std::string size_text(Size size);
std::string list_text(const std::vector<double>& values);

}  // namespace stoker
