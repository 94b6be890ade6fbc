#pragma once

#include <stoker/engine/loader.hpp>

#include <cstdint>

namespace stoker {

/// Checks the options against the producer and decides everything automatic.
/// @throws Error(invalid_argument) that names the option, Error(empty_source).
LoaderOptions resolve(LoaderOptions options, const Producer& producer);

/// Number of epochs that random numbers can tell apart: RandomKey has 28 bits for them.
inline constexpr std::uint64_t most_epochs = std::uint64_t{1} << 28;

/// Checks that random numbers can tell the epoch from others.
/// @throws Error(invalid_argument)
void check_epoch(std::uint64_t epoch);

}  // namespace stoker
