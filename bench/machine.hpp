#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>

namespace stoker::bench {

/// Describes what figures were measured on: processor, cores, memory, system, compiler, versions of
/// the libraries that do the work.
nlohmann::ordered_json describe_machine();

/// The machine's memory.
std::uint64_t memory_bytes();

/// Forgets the process's peak of resident memory, so that `peak_memory_bytes` counts from now.
/// Returns whether the system allows that.
bool reset_peak_memory();
/// Largest resident size of the process since the last reset, or since its start.
std::uint64_t peak_memory_bytes();
/// Resident size of the process now.
std::uint64_t resident_bytes();

}  // namespace stoker::bench
