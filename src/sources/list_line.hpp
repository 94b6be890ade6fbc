#pragma once

#include <tl/expected.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace stoker {

/// A line of a file list.
struct ListLine {
  std::string path;
  std::int64_t label = 0;
};

/// Returns `text` without the blanks, tabs and carriage returns around it.
std::string_view without_blanks(std::string_view text) noexcept;

/// Reads a line that is not blank, as FileList documents it, or says what is wrong with it.
tl::expected<ListLine, std::string> parse_list_line(std::string_view line);

/// True where a list's first line names columns: two words divided by a comma or a tab.
bool is_list_header(std::string_view line) noexcept;

}  // namespace stoker
