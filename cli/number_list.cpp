#include "cli/number_list.hpp"

#include "cli/files.hpp"
#include <stoker/core/error.hpp>

#include <fmt/format.h>

#include <charconv>
#include <string_view>

namespace stoker::cli {
namespace {

constexpr std::string_view separators = ", \t\r\n";

std::string content_of(const std::string& text) {
  if (!text.starts_with('@')) return text;
  const auto bytes = read_file(text.substr(1));
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

template <class Number>
Number number(const std::string& option, std::string_view word, const char* kind) {
  Number value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error == std::errc() && end == word.data() + word.size()) return value;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("{}: {:?} is no {}", option, word.substr(0, 40), kind));
}

template <class Number>
std::vector<Number> numbers(const std::string& option, const std::string& text, const char* kind) {
  const std::string content = content_of(text);
  std::vector<Number> values;
  std::string_view rest = content;
  for (;;) {
    const std::size_t start = rest.find_first_not_of(separators);
    if (start == std::string_view::npos) return values;
    rest.remove_prefix(start);
    const std::size_t length = std::min(rest.find_first_of(separators), rest.size());
    values.push_back(number<Number>(option, rest.substr(0, length), kind));
    rest.remove_prefix(length);
  }
}

}  // namespace

std::vector<double> number_list(const std::string& option, const std::string& text) {
  return numbers<double>(option, text, "number");
}

std::vector<std::uint64_t> whole_number_list(const std::string& option, const std::string& text) {
  return numbers<std::uint64_t>(option, text, "whole number from 0 to 18446744073709551615");
}

}  // namespace stoker::cli
