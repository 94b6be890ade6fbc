#pragma once

#include <stoker/core/error.hpp>
#include <stoker/samplers/sampler.hpp>
#include <stoker/torch/data_loader.hpp>
#include <stoker/torch/data_loader_options.hpp>
#include <stoker/torch/detail/loader_parts.hpp>
#include <stoker/torch/samplers.hpp>

#include <torch/data/samplers.h>

#include <concepts>
#include <cstddef>
#include <memory>
#include <utility>

namespace stoker::torch {

/// Makes a loader of batches as torch::data::make_data_loader does, of any of its datasets and
/// samplers: change the namespace, and workers write to slots that need no stacking, prefetch to a
/// device, and go on where a run was stopped.
///
/// Where batches are stacks of what `get` returns (`.map(Stack<>())`, transforms of samples before
/// it), workers share a batch's samples and gather them in its slot; what the first sample looks
/// like all others must. Every other dataset makes its batches with get_batch as a whole, each on
/// one worker. Either way a worker works on a copy of the dataset (SharedBatchDataset: on the
/// shared one). Nothing is read before the first `begin`.
///
/// Call it by its full name: with arguments of torch::data's, a call of the bare name finds
/// LibTorch's loader.
///
/// `sampler` is one of LibTorch's, which draws each epoch on the thread that begins it, or one of
/// stoker's, by value or as a shared_ptr, with which the next epoch is prefetched.
/// @throws Error(invalid_argument), Error(unsupported) for options that cannot be met.
template <detail::StatelessDataset Dataset, detail::TorchSamplerType Sampler>
detail::LoaderPtr<Dataset> make_data_loader(Dataset dataset, Sampler sampler,
                                            DataLoaderOptions options = {}) {
  using BatchType = typename Dataset::BatchType;
  using Access = detail::StackAccess<Dataset>;
  if constexpr (Access::value && detail::gives_indices<Sampler>) {
    return std::make_unique<DataLoader<BatchType>>(
        std::make_unique<detail::StackStream<BatchType, typename Access::Fields>>(
            Access::samples(std::move(dataset)), detail::torch_order(std::move(sampler), options),
            options),
        options);
  } else {
    auto stream = detail::boxed(std::move(dataset), std::move(sampler), options);
    return std::make_unique<DataLoader<BatchType>>(std::move(stream), options);
  }
}

/// The same in the order of a sampler of stoker's.
template <detail::StatelessDataset Dataset, detail::StokerSamplerType Sampler>
detail::LoaderPtr<Dataset> make_data_loader(Dataset dataset, Sampler sampler,
                                            DataLoaderOptions options = {}) {
  using BatchType = typename Dataset::BatchType;
  using Access = detail::StackAccess<Dataset>;
  const auto shared = detail::shared(std::move(sampler));
  if (!shared) throw Error(ErrorCode::invalid_argument, "there is no sampler to go by");
  if constexpr (Access::value) {
    return std::make_unique<DataLoader<BatchType>>(
        std::make_unique<detail::StackStream<BatchType, typename Access::Fields>>(
            Access::samples(std::move(dataset)), SampleOrder{shared, {}, {}, {}, {}}, options),
        options);
  } else {
    return torch::make_data_loader(std::move(dataset), TorchSampler(shared, options.seed()),
                                   std::move(options));
  }
}

/// The same with a sampler made for the dataset's size (torch's RandomSampler unless another is
/// named). @throws Error(invalid_argument) for a dataset that does not tell its size.
template <class Sampler = ::torch::data::samplers::RandomSampler, detail::StatelessDataset Dataset>
requires std::constructible_from<Sampler, std::size_t> detail::LoaderPtr<Dataset> make_data_loader(
    Dataset dataset, DataLoaderOptions options = {}) {
  const auto size = dataset.size();
  if (!size) {
    throw Error(ErrorCode::invalid_argument,
                "the dataset does not tell its size, which a sampler is made for: give a sampler "
                "that knows what to ask for, such as torch::data::samplers::StreamSampler");
  }
  return torch::make_data_loader(std::move(dataset), Sampler(*size), std::move(options));
}

/// The same for a stateful dataset (streams, chunks), which needs no sampler: it knows what comes
/// next and when it is exhausted. All workers share it; its get_batch must be thread-safe where
/// there are several, as LibTorch wants it. With drop_last every batch with fewer than batch_size
/// samples is left out.
template <detail::StatefulDataset Dataset>
detail::LoaderPtr<Dataset> make_data_loader(Dataset dataset, DataLoaderOptions options = {}) {
  auto stream = detail::boxed_stateful(std::move(dataset), options);
  return std::make_unique<DataLoader<typename detail::BatchOf<Dataset>::type>>(std::move(stream),
                                                                               options);
}

}  // namespace stoker::torch
