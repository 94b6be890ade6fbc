#pragma once

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

// How the command, the benchmarks and the examples declare which numbers an option takes: what
// CLI11 has says of -1 that it is not in a range whose end it writes out in 300 digits.

namespace stoker::cli {

/// What is wrong with `text` as a whole number in digits from `least` to `most`; empty: nothing.
template <std::integral Number>
std::string mistake_in_number(std::string_view text, Number least, Number most) {
  const bool negative = text.starts_with('-');
  const std::string_view digits = text.substr(negative ? 1 : 0);
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto must_be = [&](const std::string& what) {
    return "must be " + what + ", not " + std::string(text);
  };
  if (digits.empty() || !std::all_of(digits.begin(), digits.end(), is_digit)) {
    return must_be("a whole number");
  }
  Number number = 0;
  const auto error = std::from_chars(text.data(), text.data() + text.size(), number).ec;
  const bool outside = error != std::errc();
  if (outside ? negative : number < least) return must_be("at least " + std::to_string(least));
  if (outside || number > most) return must_be("at most " + std::to_string(most));
  return {};
}

/// Accepts whole numbers from `least` to `most` written in digits. Without it "-1" may be taken for
/// the largest number of an option's type.
template <std::integral Number = std::uint64_t>
CLI::Validator whole_number(Number least = 0, Number most = std::numeric_limits<Number>::max()) {
  const bool bounded = most != std::numeric_limits<Number>::max();
  std::string range;
  if (least != 0 || std::signed_integral<Number> || bounded) {
    range = "from " + std::to_string(least);
  }
  if (bounded) range += " to " + std::to_string(most);
  return CLI::Validator(
      [least, most](std::string& text) { return mistake_in_number(text, least, most); }, range);
}

/// Accepts numbers greater than 0, of which infinity is none.
inline CLI::Validator positive_number() {
  const auto check = [](std::string& text) -> std::string {
    double number = 0;
    const char* const end = text.data() + text.size();
    const auto [next, error] = std::from_chars(text.data(), end, number);
    const bool good = error == std::errc() && next == end && std::isfinite(number) && number > 0;
    return good ? "" : "must be a number greater than 0, not " + text;
  };
  return CLI::Validator(check, "greater than 0");
}

}  // namespace stoker::cli
