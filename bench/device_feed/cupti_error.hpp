#pragma once

#include <cupti.h>
#include <fmt/format.h>

#include <source_location>
#include <stdexcept>

namespace stoker::bench {

/// @throws std::runtime_error with CUPTI's words and the place of the call.
inline void check(CUptiResult result,
                  std::source_location place = std::source_location::current()) {
  if (result == CUPTI_SUCCESS) return;
  const char* text = nullptr;
  if (cuptiGetResultString(result, &text) != CUPTI_SUCCESS) text = "an unknown error of CUPTI's";
  throw std::runtime_error(fmt::format("{}:{}: {}", place.file_name(), place.line(), text));
}

}  // namespace stoker::bench
