#include <stoker/core/arguments.hpp>

#include <stoker/core/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace stoker {
namespace {

const double* as_number(const Value& value) { return std::get_if<double>(&value.data); }

bool is_integer(double value) {
  return std::nearbyint(value) == value && std::abs(value) <= 9007199254740992.0;  // 2^53
}

}  // namespace

Arguments::Arguments(std::string operation, std::size_t column, std::vector<Value> positional,
                     std::vector<std::pair<std::string, Value>> named)
    : operation_(std::move(operation)),
      column_(column),
      positional_(std::move(positional)),
      named_(std::move(named)),
      named_taken_(named_.size(), false) {}

const Value* Arguments::take(std::string_view name) {
  known_.emplace_back(name);
  const Value* found = nullptr;
  for (std::size_t i = 0; i < named_.size(); ++i) {
    if (named_[i].first != name) continue;
    named_taken_[i] = true;
    columns_.emplace_back(name, named_[i].second.column);
    if (found) reject(name, "is given twice");
    found = &named_[i].second;
  }
  if (next_positional_ < positional_.size()) {
    const Value* by_place = &positional_[next_positional_++];
    if (found) reject(name, "is given by place and by name");
    columns_.emplace_back(name, by_place->column);
    return by_place;
  }
  return found;
}

void Arguments::reject(std::string_view name, const std::string& why) const {
  std::size_t column = column_;
  for (const auto& [known, where] : columns_) {
    if (known == name) column = where;
  }
  throw Error(ErrorCode::invalid_pipeline,
              fmt::format("{}: {} {} (column {})", operation_, name, why, column));
}

void Arguments::missing(std::string_view name) const {
  for (std::size_t i = 0; i < named_.size(); ++i) {
    if (named_taken_[i]) continue;
    throw Error(ErrorCode::invalid_pipeline,
                fmt::format("{}: {} is missing, but {} is given (column {})", operation_, name,
                            named_[i].first, named_[i].second.column));
  }
  reject(name, "is missing");
}

double Arguments::number(std::string_view name, std::optional<double> otherwise) {
  const Value* value = take(name);
  if (!value && otherwise) return *otherwise;
  if (!value) missing(name);
  const double* number = as_number(*value);
  if (!number) reject(name, "must be a number");
  return *number;
}

std::int64_t Arguments::integer(std::string_view name, std::optional<std::int64_t> otherwise) {
  const Value* value = take(name);
  if (!value && otherwise) return *otherwise;
  if (!value) missing(name);
  const double* number = as_number(*value);
  if (!number || !is_integer(*number)) reject(name, "must be a whole number");
  return static_cast<std::int64_t>(*number);
}

std::string Arguments::word(std::string_view name, std::optional<std::string> otherwise) {
  const Value* value = take(name);
  if (!value && otherwise) return *otherwise;
  if (!value) missing(name);
  const auto* word = std::get_if<std::string>(&value->data);
  if (!word) reject(name, "must be a word");
  return *word;
}

bool Arguments::boolean(std::string_view name, std::optional<bool> otherwise) {
  const std::string text =
      word(name, otherwise ? std::optional(*otherwise ? "true" : "false") : std::nullopt);
  if (text != "true" && text != "false") reject(name, "must be true or false");
  return text == "true";
}

std::vector<double> Arguments::numbers(std::string_view name,
                                       std::optional<std::vector<double>> otherwise) {
  const Value* value = take(name);
  if (!value && otherwise) return *otherwise;
  if (!value) missing(name);
  if (const double* one = as_number(*value)) return {*one};
  const auto* list = std::get_if<std::vector<Value>>(&value->data);
  if (!list) reject(name, "must be a number or a list of numbers");
  std::vector<double> result;
  for (const Value& item : *list) {
    const double* number = as_number(item);
    if (!number) reject(name, "must hold numbers only");
    result.push_back(*number);
  }
  return result;
}

std::vector<std::int64_t> Arguments::integers(std::string_view name,
                                              std::optional<std::vector<std::int64_t>> otherwise) {
  std::optional<std::vector<double>> wide;
  if (otherwise) wide.emplace(otherwise->begin(), otherwise->end());
  std::vector<std::int64_t> result;
  for (const double value : numbers(name, std::move(wide))) {
    if (!is_integer(value)) reject(name, "must hold whole numbers");
    result.push_back(static_cast<std::int64_t>(value));
  }
  return result;
}

void Arguments::finish() const {
  for (std::size_t i = 0; i < named_.size(); ++i) {
    if (named_taken_[i]) continue;
    throw Error(ErrorCode::invalid_pipeline,
                fmt::format("{}: has no parameter {}; it has: {} (column {})", operation_,
                            named_[i].first, fmt::join(known_, ", "), named_[i].second.column));
  }
  if (next_positional_ < positional_.size()) {
    throw Error(
        ErrorCode::invalid_pipeline,
        fmt::format("{}: takes at most {} arguments, {} are given (column {})", operation_,
                    known_.size(), positional_.size(), positional_[next_positional_].column));
  }
}

Size square_or_size(Arguments& arguments, std::string_view name) {
  const std::vector<std::int64_t> given = arguments.integers(name);
  if (given.empty() || given.size() > 2) {
    arguments.reject(name, "must be a number or [height, width]");
  }
  if (std::ranges::any_of(given, [](std::int64_t v) { return v < 1 || v > 65535; })) {
    arguments.reject(name, "must be from 1 to 65535");
  }
  return {static_cast<int>(given.front()), static_cast<int>(given.back())};
}

std::string number_text(double value) {
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}

std::string size_text(Size size) { return fmt::format("[{}, {}]", size.height, size.width); }

std::string list_text(const std::vector<double>& values) {
  std::string text = "[";
  for (std::size_t i = 0; i < values.size(); ++i) {
    text += (i == 0 ? "" : ", ") + number_text(values[i]);
  }
  return text + "]";
}

}  // namespace stoker
