#pragma once

#include <cstdint>
#include <functional>

namespace stoker {

/// Is told during a long scan how many image files were found so far: every 0.1 s or more rarely,
/// on the thread that constructs the source. What it throws ends the scan.
using ScanProgress = std::function<void(std::uint64_t files)>;

}  // namespace stoker
