#pragma once

#include <stoker/engine/loader.hpp>

#include <c10/core/Device.h>
#include <torch/arg.h>
#include <torch/data/dataloader_options.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace stoker::torch {

/// How make_data_loader's loaders work: the fields of torch::data::DataLoaderOptions, with their
/// names and defaults, and stoker's own. Set by name, one behind the other:
///
///     DataLoaderOptions().batch_size(64).workers(8).device(torch::kCUDA)
struct DataLoaderOptions {
  DataLoaderOptions() = default;
  /* implicit */ DataLoaderOptions(std::size_t batch_size) : batch_size_(batch_size) {}
  /* implicit */ DataLoaderOptions(const ::torch::data::DataLoaderOptions& options)
      : batch_size_(options.batch_size()),
        workers_(options.workers()),
        drop_last_(options.drop_last()),
        enforce_ordering_(options.enforce_ordering()) {
    if (options.max_jobs()) max_jobs_ = *options.max_jobs();
    if (options.timeout()) timeout_ = *options.timeout();
  }

  /// Samples in a batch.
  TORCH_ARG(std::size_t, batch_size) = 1;
  /// Worker threads; 0: all work in the thread that asks for batches.
  TORCH_ARG(std::size_t, workers) = 0;
  /// Batches kept ready or in work ahead; without: two a worker.
  TORCH_ARG(std::optional<std::size_t>, max_jobs);
  /// How long to wait for a batch before Error(timeout), which says what is stuck; without: for
  /// ever.
  TORCH_ARG(std::optional<std::chrono::milliseconds>, timeout);
  /// Leave out a last batch with fewer than batch_size samples.
  TORCH_ARG(bool, drop_last) = false;
  /// Deliver batches in order; otherwise each as soon as it is complete.
  TORCH_ARG(bool, enforce_ordering) = true;

  /// Where batches are delivered: the CPU or a CUDA device.
  TORCH_ARG(c10::Device, device) = c10::Device(c10::kCPU);
  /// Instead of `device`: a device of stoker's that was made already, e.g. with CudaOptions.
  TORCH_ARG(DevicePtr, stoker_device);
  /// LoaderOptions::device_prefetch.
  TORCH_ARG(std::size_t, device_prefetch) = LoaderOptions{}.device_prefetch;
  /// LoaderOptions::static_batch: every batch at the same address, for CUDA graphs. A last batch
  /// with fewer samples has fewer rows there; the memory behind them is zero.
  TORCH_ARG(bool, static_batch) = false;
  /// The seed of stoker's samplers; torch's samplers draw from torch's generators.
  TORCH_ARG(std::uint64_t, seed) = 0;
  /// What becomes of a batch with a sample that cannot be read.
  TORCH_ARG(OnError, on_error) = OnError::fail;
  /// What happens where the consumer keeps all batches: by default the ring gets one slot more.
  TORCH_ARG(OnAllHeld, on_all_held) = OnAllHeld::grow;
  /// Workers shared with other loaders, instead of `workers` of this loader's own.
  TORCH_ARG(std::shared_ptr<WorkerPool>, worker_pool);

 public:
  /// These options as a native loader's, without sampler.
  /// @throws Error(invalid_argument) for a batch_size of 0; as stoker::torch::device.
  LoaderOptions loader_options() const;
  /// The fields that torch::data's loaders have, filled in as theirs are.
  ::torch::data::FullDataLoaderOptions full_options() const;
};

}  // namespace stoker::torch
