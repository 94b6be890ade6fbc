#include <stoker/torch/sample_loader.hpp>

#include "bindings/torch/check_options.hpp"
#include "bindings/torch/first_candidates.hpp"
#include "bindings/torch/sample_loader_impl.hpp"
#include "bindings/torch/slot_tensors.hpp"
#include <stoker/samplers/distributed_sampler.hpp>
#include <stoker/torch/device.hpp>

#include <ATen/ATen.h>

#include <algorithm>
#include <chrono>
#include <span>
#include <string>
#include <utility>

namespace stoker::torch {
namespace {

using Indices = DrawnBatches::Indices;

std::size_t largest(const std::vector<Indices>& batches) {
  std::size_t most = 0;
  for (const Indices& batch : batches) most = std::max(most, batch.size());
  return most;
}

/// Skipping draws replacements from the whole data set, and leaves places of the share of a rank
/// empty, which a stack cannot show.
void check_skipping(const SampleSource& source, const SampleOrder& order) {
  const auto refuse = [](const char* why) { throw Error(ErrorCode::invalid_argument, why); };
  if (!source.size) {
    refuse(
        "on_error = skip takes another sample for one that fails, but the dataset does not tell "
        "its size");
  }
  const DistributedSampler* const share = order.sampler ? order.sampler->as_distributed() : nullptr;
  if (share != nullptr && share->split().remainder == Remainder::uneven) {
    refuse(
        "on_error = skip masks places where the remainder is uneven, which batches of a "
        "torch::data dataset cannot show; use another remainder, or a stoker::Loader");
  }
}

/// The number of places that hold samples: all, but in a last batch that static_batch fills up.
std::int64_t filled_places(const stoker::Batch& batch) {
  const auto last = std::find(batch.valid().rbegin(), batch.valid().rend(), 1);
  return batch.valid().rend() - last;
}

/// Whether a failure was of a batch, which is then behind us, and not of waiting for it.
bool is_of_a_batch(const Error& error) {
  const SampleContext& context = error.context();
  return context.sample_index || (context.batch && error.code() != ErrorCode::timeout);
}

}  // namespace

SampleLoader::Impl::Impl(SampleSource samples, SampleOrder visiting, DataLoaderOptions how)
    : source(std::move(samples)),
      order(std::move(visiting)),
      options(std::move(how)),
      loader_options(options.loader_options()) {
  check_options(loader_options);
  if (options.on_error() == OnError::skip) check_skipping(source, order);
}

/// Begins to end the loader, so that another is made when the next epoch begins.
void SampleLoader::Impl::end_loader() {
  epoch.reset();
  if (!loader) return;
  ending.end(std::move(*loader));
  loader.reset();
}

/// Two loaders at once would have twice the slots and copies of the data set.
void SampleLoader::Impl::wait_for_end() {
  if (ending.wait(loader_options.timeout)) return;
  throw Error(ErrorCode::timeout,
              "waiting before an epoch begins for what workers had in work, which did not come to "
              "an end within " +
                  std::to_string(loader_options.timeout.count()) + " ms: " + producer->in_work());
}

/// What samples are like is learnt once, also where another loader is made later.
void SampleLoader::Impl::build(const Indices& candidates, LoaderOptions with) {
  wait_for_end();
  if (!producer) {
    const auto timeout = with.num_workers > 0 ? with.timeout : std::chrono::milliseconds(0);
    producer = learner.learn(source, candidates, timeout);
  }
  loader.emplace(producer, std::move(with));
}

/// How many of the samples that are due first may be tried to learn what they are like.
std::size_t SampleLoader::Impl::most_candidates() const {
  constexpr std::size_t some = 8;
  return options.on_error() == OnError::skip ? std::max(some, options.batch_size()) : some;
}

/// Room for more samples than there are is not asked for, but for static batches, which are all of
/// one size. One more than there are: with drop_last such a batch is never full.
std::size_t SampleLoader::Impl::native_batch_size() const {
  if (options.static_batch()) return options.batch_size();
  const DistributedSampler* const share = order.sampler->as_distributed();
  const std::uint64_t size = share != nullptr ? share->global()->size() : order.sampler->size();
  return static_cast<std::size_t>(std::min<std::uint64_t>(options.batch_size(), size + 1));
}

void SampleLoader::Impl::start_native() {
  const std::uint64_t number = state ? state->epoch : epochs;
  if (!loader) {
    if (order.sampler->size() == 0) throw Error(ErrorCode::empty_source, "the sampler is empty");
    LoaderOptions with = loader_options;
    with.sampler = order.sampler;
    with.batch_size = native_batch_size();
    const EpochPlace place{options.seed(), number, state ? state->position : 0};
    build(candidates_of(*order.sampler, place, most_candidates()), std::move(with));
  }
  if (state) loader->load_state(*state);
  const std::uint64_t from = state ? state->position : 0;
  epoch.emplace(loader->epoch(number));
  state.reset();
  epochs = number + 1;
  if (from == 0 || epoch->size() > 0 || another_rank_goes_on(from)) return;
  epoch.emplace(loader->epoch(epochs));  // what was left of the other is no batch
  ++epochs;
}

/// Whether a rank has batches of an epoch left behind a place: if any, the first one has.
bool SampleLoader::Impl::another_rank_goes_on(std::uint64_t from) const {
  const DistributedSampler* const share = order.sampler->as_distributed();
  if (share == nullptr || share->split().remainder != Remainder::uneven) return false;
  const RankSplit first{0, share->split().world_size, Remainder::uneven};
  const std::uint64_t left = first.count(share->global()->size(), from);
  return options.drop_last() ? left >= options.batch_size() : left > 0;
}

/// Samples that a slot holds: at once as many as a batch can have, so that no other loader needs to
/// be made, but no more than the data set has; where that is not known, as many as a batch has now.
std::size_t SampleLoader::Impl::room_for(const std::vector<Indices>& batches) const {
  const std::uint64_t most =
      options.static_batch() ? options.batch_size() : source.size.value_or(0);
  return std::max(std::min<std::uint64_t>(options.batch_size(), most), largest(batches));
}

/// Makes a loader whose slots hold the largest batch, where there is none yet.
void SampleLoader::Impl::make_room(const std::vector<Indices>& batches) {
  const std::size_t most = room_for(batches);
  if (loader && most <= room) return;
  end_loader();
  LoaderOptions with = loader_options;
  with.batch_size = 1;
  with.drop_last = false;
  with.batch_sampler = std::make_shared<DrawnBatches>([this] { return drawn; }, most);
  build(candidates_of(batches, source.size, most_candidates()), std::move(with));
  room = most;
}

/// Where it throws, the next call begins the same epoch.
void SampleLoader::Impl::start_drawn() {
  epoch.reset();
  drawn.clear();
  delivered = 0;
  if (!restored) restored = drawn_epoch();
  if (!restored->empty()) make_room(*restored);
  drawn = *std::exchange(restored, std::nullopt);
  const std::uint64_t number = epochs++;
  if (!drawn.empty()) epoch.emplace(loader->epoch(number));
}

std::vector<Indices> SampleLoader::Impl::drawn_epoch() const {
  std::vector<Indices> batches = order.draw();
  for (std::size_t b = 0; b < batches.size(); ++b) {
    if (!batches[b].empty()) continue;
    throw Error(ErrorCode::invalid_argument,
                "batch " + std::to_string(b) + " of the sampler has no indices");
  }
  return batches;
}

/// A batch that is thrown counts as delivered: the next call goes on behind it.
std::optional<stoker::Batch> SampleLoader::Impl::next_batch() {
  try {
    auto batch = epoch->next(current_stream(loader->options().device->id()));
    ++delivered;
    return batch;
  } catch (const Error& error) {
    if (is_of_a_batch(error)) ++delivered;
    throw;
  }
}

std::vector<at::Tensor> SampleLoader::Impl::as_tensors(stoker::Batch batch) const {
  const auto lease = std::make_shared<SlotLease>(std::move(batch));
  const std::int64_t places = filled_places(lease->batch);
  std::vector<at::Tensor> tensors;
  for (const TensorSpec& spec : producer->specs()) {
    const TensorView field = lease->batch[producer->fields()[tensors.size()].name];
    std::vector<std::int64_t> sizes{places};
    sizes.insert(sizes.end(), spec.sizes.begin(), spec.sizes.end());
    tensors.push_back(
        slot_tensor(lease, field.data, sizes, contiguous_strides(sizes), spec.dtype, field.device));
  }
  return tensors;
}

SampleLoader::SampleLoader(SampleSource source, SampleOrder order, DataLoaderOptions options)
    : impl_(std::make_unique<Impl>(std::move(source), std::move(order), std::move(options))) {}

SampleLoader::~SampleLoader() = default;

void SampleLoader::start() { impl_->order.sampler ? impl_->start_native() : impl_->start_drawn(); }

std::optional<std::vector<at::Tensor>> SampleLoader::next() {
  if (!impl_->epoch) return std::nullopt;
  auto batch = impl_->next_batch();
  if (!batch) return std::nullopt;
  return impl_->as_tensors(std::move(*batch));
}

Stats SampleLoader::stats() const { return impl_->loader ? impl_->loader->stats() : Stats{}; }

}  // namespace stoker::torch
