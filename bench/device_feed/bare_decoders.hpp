#pragma once

#include <stoker/sources/source.hpp>

#include <cstdint>
#include <thread>
#include <vector>

namespace stoker::bench {

/// Threads that decode JPEGs with libjpeg-turbo for as long as this lives: what a loader's workers
/// do to the rest of the machine, without the loader.
class BareDecoders {
 public:
  /// `photos` must be in memory and outlive this.
  BareDecoders(const Source& photos, int num_threads);

 private:
  std::vector<std::jthread> threads_;
};

}  // namespace stoker::bench
