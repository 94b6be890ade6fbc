#pragma once

#include <stoker/core/error.hpp>
#include <stoker/samplers/sampler.hpp>
#include <stoker/torch/data_loader.hpp>
#include <stoker/torch/data_loader_options.hpp>
#include <stoker/torch/detail/box_stream.hpp>
#include <stoker/torch/detail/sample_access.hpp>
#include <stoker/torch/detail/sample_count.hpp>
#include <stoker/torch/detail/stack_stream.hpp>
#include <stoker/torch/samplers.hpp>

#include <c10/util/Type.h>
#include <torch/serialize/input-archive.h>
#include <torch/serialize/output-archive.h>

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

/// What make_data_loader puts together.
namespace stoker::torch::detail {

/// torch::data's datasets, without and with state.
template <class D>
concept StatelessDataset = requires {
  typename D::BatchType;
}
&&!D::is_stateful;
template <class D>
concept StatefulDataset = requires {
  typename D::BatchType::value_type;
}
&&D::is_stateful;

/// Samplers of stoker's, by value or shared.
template <class S>
concept StokerSamplerType = std::derived_from<std::remove_cvref_t<S>, stoker::Sampler> ||
    std::convertible_to<S, std::shared_ptr<const stoker::Sampler>>;

template <class S>
std::shared_ptr<const stoker::Sampler> shared(S sampler) {
  if constexpr (std::derived_from<S, stoker::Sampler>) {
    return std::make_shared<const S>(std::move(sampler));
  } else {
    return sampler;
  }
}

/// Loads a sampler's state: into a copy where it can be copied, so that a sampler that throws in
/// the middle of it stays as it was.
template <class Sampler>
void load_sampler(std::unique_ptr<Sampler>& sampler, ::torch::serialize::InputArchive& archive) {
  if constexpr (std::copy_constructible<Sampler>) {
    auto loaded = std::make_unique<Sampler>(*sampler);
    loaded->load(archive);
    sampler = std::move(loaded);
  } else {
    sampler->load(archive);
  }
}

template <class Sampler>
SampleOrder torch_order(Sampler sampler, const DataLoaderOptions& options) {
  const auto kept =
      std::make_shared<std::unique_ptr<Sampler>>(std::make_unique<Sampler>(std::move(sampler)));
  SampleOrder order;
  order.draw = [kept, batch_size = options.batch_size(), drop_last = options.drop_last()] {
    return draw_epoch<std::vector<std::size_t>>(**kept, batch_size, drop_last);
  };
  order.name = c10::demangle(typeid(Sampler).name());
  order.save = [kept](::torch::serialize::OutputArchive& archive) { (*kept)->save(archive); };
  order.load = [kept](::torch::serialize::InputArchive& archive) { load_sampler(*kept, archive); };
  return order;
}

/// The type of batches that a dataset makes, without the optional around a stateful one's.
template <class D>
struct BatchOf {};
template <StatelessDataset D>
struct BatchOf<D> {
  using type = typename D::BatchType;
};
template <StatefulDataset D>
struct BatchOf<D> {
  using type = typename D::BatchType::value_type;
};

/// Batches of a dataset that a sampler's requests are given to.
template <class D, class Sampler>
auto boxed(D dataset, Sampler sampler, const DataLoaderOptions& options) {
  using Request = typename Sampler::BatchRequestType;
  using BatchType = typename D::BatchType;
  BoxSource<Request, BatchType> source;
  const auto kept = std::make_shared<Sampler>(std::move(sampler));
  source.draw = [kept, batch_size = options.batch_size(), drop_last = options.drop_last()] {
    return draw_epoch<Request>(*kept, batch_size, drop_last);
  };
  source.copy = [first = std::make_shared<const D>(std::move(dataset))]() ->
      typename BoxProducer<Request, BatchType>::Read {
        return [copy = std::make_shared<D>(*first)](Request request) -> std::optional<BatchType> {
          return copy->get_batch(std::move(request));
        };
      };
  return std::make_unique<BoxStream<Request, BatchType>>(std::move(source), options);
}

/// Tells full batches from smaller ones. @throws Error(invalid_argument) for batches of a type that
/// does not tell how many samples it has.
template <class Batch>
std::function<bool(const Batch&)> full_batches(std::size_t batch_size) {
  if constexpr (SampleCount<Batch>::known) {
    return
        [batch_size](const Batch& batch) { return SampleCount<Batch>::reaches(batch, batch_size); };
  } else {
    throw Error(ErrorCode::invalid_argument,
                "drop_last needs batches that tell how many samples they have: of a stateful "
                "dataset, vectors, tensors or examples of them");
  }
}

/// Batches of a stateful dataset, which all workers share.
template <class D>
auto boxed_stateful(D dataset, const DataLoaderOptions& options) {
  using Request = typename D::BatchRequestType;
  using BatchType = typename BatchOf<D>::type;
  const auto shared = std::make_shared<D>(std::move(dataset));
  BoxSource<Request, BatchType> source;
  source.request = Request(options.batch_size());
  source.reset = [shared] { shared->reset(); };
  if (options.drop_last()) source.keeps = full_batches<BatchType>(options.batch_size());
  source.copy = [shared]() -> typename BoxProducer<Request, BatchType>::Read {
    return [shared](Request request) -> std::optional<BatchType> {
      auto batch = shared->get_batch(std::move(request));
      if (!batch) return std::nullopt;
      return std::move(*batch);
    };
  };
  return std::make_unique<BoxStream<Request, BatchType>>(std::move(source), options);
}

template <class D>
using LoaderPtr = std::unique_ptr<DataLoader<typename BatchOf<D>::type>>;

/// Whether a sampler's requests are indices of samples.
template <class Sampler>
inline constexpr bool gives_indices =
    std::same_as<typename Sampler::BatchRequestType, std::vector<std::size_t>>;

}  // namespace stoker::torch::detail
