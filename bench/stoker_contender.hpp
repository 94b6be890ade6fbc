#pragma once

#include "bench/contender.hpp"
#include <stoker/engine/loader.hpp>

#include <memory>

namespace stoker::bench {

/// Measures stoker's own loader.
class StokerContender : public Contender {
 public:
  explicit StokerContender(const Workload& workload);

  Measurement describe() const override;
  Repetition run(std::uint64_t epoch, const Progress& progress) override;
  std::optional<Stats> stats() const override { return loader_.stats(); }
  int num_workers() const noexcept { return loader_.options().num_workers; }

 private:
  std::shared_ptr<const Source> source_;
  Loader loader_;
};

}  // namespace stoker::bench
