#pragma once

#include <stoker/samplers/batch_sampler.hpp>
#include <stoker/samplers/sampler.hpp>

#include <memory>

namespace stoker {

/// Cuts a sampler's order into batches of equal size, as torch's BatchSampler does.
class FixedBatchSampler final : public BatchSampler {
 public:
  /// @throws Error(invalid_argument) where there is no sampler, it is one rank's share (whole
  /// batches are split among ranks, not their samples), `batch_size` is 0, or `drop_last` leaves no
  /// batch; Error(empty_source) where the sampler has no samples.
  FixedBatchSampler(std::shared_ptr<const Sampler> sampler, std::size_t batch_size,
                    bool drop_last = false);

  std::uint64_t size() const override;
  std::size_t max_batch_size() const override;
  std::shared_ptr<const BatchOrder> order(std::uint64_t seed, std::uint64_t epoch) const override;
  std::string text() const override;

 private:
  std::shared_ptr<const Sampler> sampler_;
  std::size_t batch_size_;
  bool drop_last_;
};

}  // namespace stoker
