#pragma once

#include "bench/contender.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace stoker::bench {

/// Measures what libjpeg-turbo alone can do with the same files held in memory: its bare C API
/// decodes the same crop boxes to RGB on the same number of threads, each with one decompressor and
/// one buffer used again and again, and nothing else happens. No loader that decodes on the CPU
/// with this library can be faster.
class JpegLimit : public Contender {
 public:
  /// Reads the files into memory and leaves out those that libjpeg-turbo does not turn into RGB.
  explicit JpegLimit(const Workload& workload);

  Measurement describe() const override;
  Repetition run(std::uint64_t epoch, const Progress& progress) override;

 private:
  struct Walk;
  void work(Walk& walk) const;

  Workload workload_;
  std::vector<std::vector<std::byte>> files_;  ///< empty where left out
  std::uint64_t skipped_ = 0;
};

}  // namespace stoker::bench
