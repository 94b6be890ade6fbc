#pragma once

#include <stoker/samplers/batch_sampler.hpp>
#include <stoker/samplers/sampler.hpp>

#include <torch/data/dataloader_options.h>
#include <torch/data/samplers/base.h>
#include <torch/serialize/input-archive.h>
#include <torch/serialize/output-archive.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace stoker::torch {

/// One of stoker's samplers as LibTorch's: for torch::data::make_data_loader and code that takes
/// torch samplers. `reset` begins the next epoch (the first call: epoch 0); `save` and `load` keep
/// epoch and place. Copies share the sampler and go on for themselves.
class TorchSampler : public ::torch::data::samplers::Sampler<> {
 public:
  using Indices = std::vector<std::size_t>;
  using OptionalSize =
      std::decay_t<decltype(std::declval<const ::torch::data::DataLoaderOptions&>().max_jobs())>;
  using OptionalIndices =
      decltype(std::declval<::torch::data::samplers::Sampler<>&>().next(std::size_t{1}));

  TorchSampler(std::shared_ptr<const stoker::Sampler> sampler, std::uint64_t seed);

  /// @throws Error(unsupported) for a new size: stoker's samplers have theirs.
  void reset(OptionalSize new_size = {}) override;
  OptionalIndices next(std::size_t batch_size) override;
  void save(::torch::serialize::OutputArchive& archive) const override;
  /// @throws Error(bad_state) where another sampler was saved.
  void load(::torch::serialize::InputArchive& archive) override;

 private:
  void enter(std::uint64_t epoch, std::uint64_t place);

  std::shared_ptr<const stoker::Sampler> sampler_;
  std::uint64_t seed_;
  std::uint64_t epoch_ = 0, place_ = 0;
  bool begun_ = false;
  std::shared_ptr<const Order> order_;
};

namespace detail {

/// Samplers of LibTorch's.
template <class S>
concept TorchSamplerType = requires(S& sampler, std::size_t batch_size) {
  typename S::BatchRequestType;
  sampler.next(batch_size);
};

/// Draws all of an epoch's requests from a LibTorch sampler, as LibTorch's loaders do.
template <class Request, class Sampler>
std::vector<Request> draw_epoch(Sampler& sampler, std::size_t batch_size, bool drop_last) {
  std::vector<Request> requests;
  sampler.reset();
  while (auto request = sampler.next(batch_size)) {
    if (drop_last && request->size() < batch_size) break;
    requests.push_back(std::move(*request));
  }
  return requests;
}

}  // namespace detail

/// A LibTorch sampler's batches as a BatchSampler, for a native Loader. LibTorch's samplers cannot
/// tell an epoch twice, so each epoch is drawn once: when `draw` is called, or when the loader
/// first asks for it, on its thread. Kept are the last two. Thread-safe.
class DrawnBatches : public BatchSampler {
 public:
  using Indices = std::vector<std::size_t>;
  /// Starts the sampler's next epoch and returns its batches.
  using Draw = std::function<std::vector<Indices>()>;

  /// `sampler` is copied. A batch may have up to `max_batch_size` samples; a last one with fewer
  /// than `batch_size` is left out with `drop_last`.
  template <detail::TorchSamplerType Sampler>
  DrawnBatches(Sampler sampler, std::size_t batch_size, bool drop_last = false)
      : DrawnBatches(draw_from(std::move(sampler), batch_size, drop_last), batch_size) {}

  DrawnBatches(Draw draw, std::size_t max_batch_size);

  /// Draws an epoch's batches now, so that it happens on this thread.
  void draw(std::uint64_t epoch) const;

  /// The most an epoch can have.
  std::uint64_t size() const override { return std::uint64_t{1} << 40; }
  bool epochs_differ() const override { return true; }
  std::uint64_t size_of(std::uint64_t epoch) const override;
  std::size_t max_batch_size() const override { return max_batch_size_; }
  std::shared_ptr<const BatchOrder> order(std::uint64_t seed, std::uint64_t epoch) const override;
  std::string text() const override;

  /// Draws all batches of one epoch from a LibTorch sampler.
  template <class Sampler>
  static Draw draw_from(Sampler sampler, std::size_t batch_size, bool drop_last) {
    return [sampler = std::make_shared<Sampler>(std::move(sampler)), batch_size, drop_last] {
      return detail::draw_epoch<Indices>(*sampler, batch_size, drop_last);
    };
  }

 private:
  struct Epoch {
    std::uint64_t number = 0;
    std::shared_ptr<const BatchOrder> order;
  };
  const std::shared_ptr<const BatchOrder>& drawn(std::uint64_t epoch) const;

  Draw draw_;
  std::size_t max_batch_size_;
  mutable std::mutex mutex_;
  mutable std::vector<Epoch> kept_;
};

}  // namespace stoker::torch
