#pragma once

#include <stoker/distributed/agreement.hpp>

#include <optional>
#include <string>
#include <vector>

namespace stoker {

/// Says which ranks have which of the values, e.g. `seed: ranks 0-2 have "42", rank 3 has "9"`.
/// One value a rank, in rank order; nothing where a rank has none. Long values are cut to where
/// they begin to differ.
std::string values_text(const std::string& name,
                        const std::vector<std::optional<std::string>>& values);

/// Returns one line for each thing that the ranks' statements, in rank order, do not agree on.
std::vector<std::string> disagreements(const std::vector<Statement>& statements);

}  // namespace stoker
