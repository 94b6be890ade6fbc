#include "cli/numbers.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <string>

namespace stoker::cli {

CLI::Validator whole_number() {
  const auto check = [](const std::string& text) {
    std::uint64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [next, error] = std::from_chars(text.data(), end, number);
    if (error == std::errc() && next == end && !text.empty()) return std::string();
    return fmt::format("{} is no whole number from 0 to 18446744073709551615", text);
  };
  return CLI::Validator([check](std::string& text) { return check(text); }, "UINT");
}

}  // namespace stoker::cli
