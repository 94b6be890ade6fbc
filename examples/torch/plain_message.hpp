#pragma once

#include <exception>
#include <string>

namespace examples {

/// Returns what an error says: of LibTorch's the message alone, without the backtrace.
std::string plain_message(const std::exception& error);

}  // namespace examples
