#pragma once

#include "bindings/torch/ending_loader.hpp"
#include "bindings/torch/first_sample.hpp"
#include "bindings/torch/tensor_producer.hpp"
#include <stoker/engine/loader.hpp>
#include <stoker/torch/sample_loader.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace stoker::torch {

/// One loader after the other behind a data loader. What a state needs is in
/// sample_loader_state.cpp.
struct SampleLoader::Impl {
  using Indices = DrawnBatches::Indices;

  Impl(SampleSource samples, SampleOrder visiting, DataLoaderOptions how);

  void start_native();
  bool another_rank_goes_on(std::uint64_t from) const;
  void start_drawn();
  void make_room(const std::vector<Indices>& batches);
  void build(const Indices& candidates, LoaderOptions with);
  void end_loader();
  void wait_for_end();
  std::vector<Indices> drawn_epoch() const;
  std::size_t most_candidates() const;
  std::size_t native_batch_size() const;
  std::size_t room_for(const std::vector<Indices>& batches) const;
  std::optional<stoker::Batch> next_batch();
  std::vector<at::Tensor> as_tensors(stoker::Batch batch) const;
  std::vector<Indices> left() const;
  void save_native(::torch::serialize::OutputArchive& archive) const;
  void save_drawn(::torch::serialize::OutputArchive& archive) const;
  void load_native(::torch::serialize::InputArchive& archive);
  void load_drawn(::torch::serialize::InputArchive& archive);
  void load_sampler(::torch::serialize::InputArchive& archive) const;

  SampleSource source;
  SampleOrder order;
  DataLoaderOptions options;
  LoaderOptions loader_options;  ///< without sampler
  SampleLearner learner;
  std::shared_ptr<const TensorProducer> producer;
  std::optional<Loader> loader;
  std::optional<Epoch> epoch;
  std::uint64_t epochs = 0;  ///< begun
  std::size_t delivered = 0;

  // With a LibTorch sampler.
  std::vector<Indices> drawn;  ///< of the epoch in work
  std::size_t room = 0;        ///< samples that the loader's slots hold
  std::optional<std::vector<Indices>> restored;

  // With one of stoker's.
  std::optional<LoaderState> state;  ///< to go on from

  /// The loader before: it may have batches of `drawn` in work, and is waited for first.
  EndingLoader ending;
};

}  // namespace stoker::torch
