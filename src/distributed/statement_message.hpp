#pragma once

#include <stoker/distributed/agreement.hpp>

#include <optional>
#include <string>

namespace stoker {

/// What a rank sends in an agreement: its statement, or why it has none.
struct StatementMessage {
  Statement statement = {};
  std::optional<std::string> failure = {};
};

std::string encode(const StatementMessage& message);
/// Reads a message; nothing where it is none, or one of another version.
std::optional<StatementMessage> decode(const std::string& bytes);

}  // namespace stoker
