#pragma once

#include <cstddef>
#include <string_view>

namespace stoker {

/// Returns how many letters to change, add or leave out to turn one word into the other, for
/// suggestions where a name is misspelt. Thread-safe.
/// Source: Levenshtein, "Binary codes capable of correcting deletions, insertions, and reversals",
/// 1966.
std::size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace stoker
