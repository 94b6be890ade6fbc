#include "plain_message.hpp"

#include <c10/util/Exception.h>

namespace examples {

std::string plain_message(const std::exception& error) {
  const auto* of_libtorch = dynamic_cast<const c10::Error*>(&error);
  return of_libtorch ? of_libtorch->what_without_backtrace() : error.what();
}

}  // namespace examples
