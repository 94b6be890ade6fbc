#pragma once

#include <stoker/engine/stats.hpp>
#include <stoker/samplers/sampler.hpp>
#include <stoker/torch/data_loader_options.hpp>
#include <stoker/torch/sample_source.hpp>
#include <stoker/torch/samplers.hpp>

#include <ATen/core/Tensor.h>
#include <torch/serialize/input-archive.h>
#include <torch/serialize/output-archive.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace stoker::torch {

/// In which order a data loader visits samples: by a sampler of stoker's, or by one of LibTorch's,
/// which is asked for each epoch's batches when the epoch begins, on the thread that begins it.
struct SampleOrder {
  std::shared_ptr<const stoker::Sampler> sampler;
  DrawnBatches::Draw draw;  ///< where `sampler` is null
  /// What kind of sampler it is of LibTorch's, to tell others' states by.
  std::string name;
  /// Keep a LibTorch sampler's own state. Where `load` throws, the sampler is to be as it was.
  std::function<void(::torch::serialize::OutputArchive&)> save;
  std::function<void(::torch::serialize::InputArchive&)> load;
};

/// Feeds batches that are stacks of samples: the worker threads read samples and gather them in the
/// slots of a ring. What the stacked data loaders of make_data_loader are made of. Used by one
/// thread at a time.
class SampleLoader {
 public:
  /// @throws as DataLoaderOptions::loader_options; Error(invalid_argument) where OnError::skip has
  /// nothing to put in place of a sample.
  SampleLoader(SampleSource source, SampleOrder order, DataLoaderOptions options);
  ~SampleLoader();

  /// Begins the next epoch, also where the last one was left early; the first time, reads one
  /// sample to learn what samples are like, and starts the workers.
  /// @throws Error of that sample, Error(timeout) where it takes too long, after which the next
  /// call begins the same epoch; Error as Loader's constructor.
  void start();
  /// Returns the next batch, a tensor a field, [N, ...], which own their slot as those of a
  /// torch::Batch do; nothing at the epoch's end. @throws as Epoch::next.
  std::optional<std::vector<at::Tensor>> next();

  /// Writes where the run stands: behind the batches that were delivered.
  void save(::torch::serialize::OutputArchive& archive) const;
  /// Goes on there with the next `start`. @throws Error(bad_state), and nothing has changed then
  void load(::torch::serialize::InputArchive& archive);

  /// Counters since the first epoch began; all zero before. They begin anew where a LibTorch
  /// sampler's state, or one from before a first epoch, is loaded, and where one of a LibTorch
  /// sampler's batches is larger than any before.
  Stats stats() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace stoker::torch
