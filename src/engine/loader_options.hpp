#pragma once

#include <stoker/engine/loader.hpp>

#include <memory>

namespace stoker {

/// Checks the options against the producer and decides everything automatic.
/// @throws Error(invalid_argument) that names the option, Error(empty_source).
LoaderOptions resolve(LoaderOptions options, const Producer& producer);

}  // namespace stoker
