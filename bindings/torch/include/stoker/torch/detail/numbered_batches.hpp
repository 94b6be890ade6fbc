#pragma once

#include <stoker/samplers/batch_sampler.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace stoker::torch::detail {

/// Batches of one sample each, which is the batch's number. Every epoch has as many as was said
/// last.
class NumberedBatches final : public BatchSampler {
 public:
  static constexpr std::uint64_t most = std::uint64_t{1} << 40;

  void set_size(std::uint64_t batches) noexcept { batches_ = batches; }

  std::uint64_t size() const override { return most; }
  bool epochs_differ() const override { return true; }
  std::uint64_t size_of(std::uint64_t /*epoch*/) const override { return batches_; }
  std::size_t max_batch_size() const override { return 1; }
  std::shared_ptr<const BatchOrder> order(std::uint64_t seed, std::uint64_t epoch) const override;
  std::string text() const override { return "as the dataset is asked"; }

 private:
  std::atomic<std::uint64_t> batches_{0};
};

}  // namespace stoker::torch::detail
