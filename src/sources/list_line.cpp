#include "src/sources/list_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace stoker {
namespace {

constexpr std::string_view blanks = " \t\r";
constexpr std::string_view separators = ", \t";

std::string_view unquoted(std::string_view field) noexcept {
  const bool quoted = field.size() >= 2 && field.front() == '"' && field.back() == '"';
  return quoted ? field.substr(1, field.size() - 2) : field;
}

tl::expected<std::int64_t, std::string> parse_label(std::string_view field) {
  const std::string_view text = unquoted(field);
  std::int64_t label = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), label);
  if (error == std::errc::result_out_of_range) {
    return tl::unexpected(fmt::format("the label {} does not fit into 64 bits", text));
  }
  if (error != std::errc() || end != text.data() + text.size()) {
    return tl::unexpected(fmt::format("the label \"{}\" is not a whole number", text));
  }
  return label;
}

tl::expected<ListLine, std::string> with_label(std::string path, std::string_view label) {
  if (path.empty()) return tl::unexpected(std::string("there is no path"));
  return parse_label(label).map([&](std::int64_t value) {
    return ListLine{std::move(path), value};
  });
}

tl::expected<ListLine, std::string> parse_quoted(std::string_view line) {
  std::string path;
  std::size_t i = 1;
  for (; i < line.size(); ++i) {
    if (line[i] != '"') {
      path += line[i];
    } else if (i + 1 < line.size() && line[i + 1] == '"') {
      path += line[i++];
    } else {
      break;
    }
  }
  if (i == line.size()) return tl::unexpected(std::string("a quote is not closed"));
  const std::string_view behind = line.substr(i + 1);
  const std::size_t label = behind.find_first_not_of(separators);
  const std::string_view between = behind.substr(0, label);
  if (label == behind.npos || between.empty() || std::ranges::count(between, ',') > 1) {
    return tl::unexpected(
        std::string("the quoted path must be followed by a separator and a label"));
  }
  return with_label(std::move(path), behind.substr(label));
}

}  // namespace

std::string_view without_blanks(std::string_view text) noexcept {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

tl::expected<ListLine, std::string> parse_list_line(std::string_view line) {
  line = without_blanks(line);
  if (line.starts_with('"')) return parse_quoted(line);
  const std::size_t separator = line.find_last_of(separators);
  if (separator == line.npos) return tl::unexpected(std::string("there is no label"));
  std::string_view path = without_blanks(line.substr(0, separator));
  if (line[separator] != ',' && path.ends_with(',')) {
    path = without_blanks(path.substr(0, path.size() - 1));  // "path, 3"
  }
  return with_label(std::string(path), line.substr(separator + 1));
}

bool is_list_header(std::string_view line) noexcept {
  const std::size_t separator = line.find_last_of(",\t");
  if (separator == line.npos) return false;
  const auto is_word = [](std::string_view field) {
    constexpr std::string_view letters =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_ ";
    field = unquoted(without_blanks(field));
    return !field.empty() && !(field[0] >= '0' && field[0] <= '9') &&
           field.find_first_not_of(letters) == field.npos;
  };
  return is_word(line.substr(0, separator)) && is_word(line.substr(separator + 1));
}

}  // namespace stoker
