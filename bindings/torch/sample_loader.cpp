#include <stoker/torch/sample_loader.hpp>

#include "bindings/torch/check_options.hpp"
#include "bindings/torch/first_sample.hpp"
#include "bindings/torch/saved_batches.hpp"
#include "bindings/torch/slot_tensors.hpp"
#include "bindings/torch/tensor_producer.hpp"
#include <stoker/engine/loader.hpp>
#include <stoker/samplers/distributed_sampler.hpp>
#include <stoker/torch/device.hpp>
#include <stoker/torch/state.hpp>

#include <ATen/ATen.h>

#include <algorithm>
#include <chrono>
#include <span>
#include <string>
#include <utility>

namespace stoker::torch {
namespace {

using Indices = DrawnBatches::Indices;

constexpr const char* epochs_key = "stoker_epochs";
constexpr const char* loader_key = "stoker_loader";
constexpr const char* sampler_key = "stoker_sampler";
constexpr const char* made_for_key = "stoker_made_for";

[[noreturn]] void refuse_state(const char* why) { throw Error(ErrorCode::bad_state, why); }

std::uint64_t read_epochs(::torch::serialize::InputArchive& archive) {
  c10::IValue epochs;
  if (!archive.try_read(epochs_key, epochs) || !epochs.isInt() || epochs.toInt() < 0) {
    refuse_state("the archive holds no state of a stoker data loader");
  }
  return static_cast<std::uint64_t>(epochs.toInt());
}

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
        "torch::data "
        "dataset cannot show; use another remainder, or a stoker::Loader");
  }
}

/// Some places of so many, far from each other.
std::vector<std::uint64_t> spread_over(std::uint64_t size) {
  constexpr std::uint64_t some = 16;
  std::vector<std::uint64_t> places;
  for (std::uint64_t i = 0; i < std::min(some, size); ++i) {
    places.push_back(size <= some ? i : size / some * i);
  }
  return places;
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

/// What a state goes with where a LibTorch sampler made it.
std::string made_for(const SampleSource& source, const SampleOrder& order) {
  const std::string size = source.size ? std::to_string(*source.size) : "unknown size";
  return "a dataset of " + size + " in the order of " + order.name;
}

void check_made_for(::torch::serialize::InputArchive& archive, const std::string& here) {
  c10::IValue saved;
  if (!archive.try_read(made_for_key, saved) || !saved.isString()) {
    refuse_state("the archive does not say what its batches are of");
  }
  if (saved.toStringRef() == here) return;
  throw Error(ErrorCode::bad_state,
              "the archive holds a state for " + saved.toStringRef() + "; this loader has " + here);
}

}  // namespace

struct SampleLoader::Impl {
  Impl(SampleSource samples, SampleOrder visiting, DataLoaderOptions how)
      : source(std::move(samples)),
        order(std::move(visiting)),
        options(std::move(how)),
        loader_options(options.loader_options()) {
    check_options(loader_options);
    if (options.on_error() == OnError::skip) check_skipping(source, order);
  }

  void start_native();
  bool another_rank_goes_on(std::uint64_t from) const;
  void start_drawn();
  void make_room(const std::vector<Indices>& batches);
  void build(const Indices& candidates, LoaderOptions with);
  std::vector<Indices> drawn_epoch() const;
  std::size_t most_candidates() const;
  Indices native_candidates() const;
  Indices drawn_candidates(const std::vector<Indices>& batches) const;
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
};

/// What samples are like is learnt once, also where another loader is made later.
void SampleLoader::Impl::build(const Indices& candidates, LoaderOptions with) {
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

/// The indices that are due first, and others of what is left, or of the whole order where that is
/// no more.
Indices SampleLoader::Impl::native_candidates() const {
  const std::uint64_t number = state ? state->epoch : epochs;
  const std::uint64_t from = state ? std::min(state->position, order.sampler->size()) : 0;
  const DistributedSampler* const share = order.sampler->as_distributed();
  const auto whole = [&] { return order.sampler->order(options.seed(), number); };
  const auto left = share != nullptr ? share->order_from(options.seed(), number, from) : whole();
  const std::uint64_t first = share != nullptr ? 0 : from;
  std::vector<std::uint64_t> indices(
      std::min<std::uint64_t>(most_candidates(), left->size() - std::min(first, left->size())));
  left->read(first, indices);
  const auto others = left->size() > indices.size() ? left : whole();
  for (const std::uint64_t place : spread_over(others->size())) {
    others->read(place, std::span(&indices.emplace_back(), 1));
  }
  if (indices.empty()) indices.push_back(0);
  return {indices.begin(), indices.end()};
}

/// The indices that are due first, and others of the data set.
Indices SampleLoader::Impl::drawn_candidates(const std::vector<Indices>& batches) const {
  Indices indices;
  for (const Indices& batch : batches) {
    const std::size_t room_left = most_candidates() - indices.size();
    const auto end = batch.begin() + static_cast<std::ptrdiff_t>(std::min(room_left, batch.size()));
    indices.insert(indices.end(), batch.begin(), end);
    if (indices.size() == most_candidates()) break;
  }
  for (const std::uint64_t b : spread_over(batches.size())) indices.push_back(batches[b].front());
  for (const std::uint64_t i : spread_over(source.size.value_or(0))) indices.push_back(i);
  return indices;
}

void SampleLoader::Impl::start_native() {
  const std::uint64_t number = state ? state->epoch : epochs;
  if (!loader) {
    if (order.sampler->size() == 0) throw Error(ErrorCode::empty_source, "the sampler is empty");
    LoaderOptions with = loader_options;
    with.sampler = order.sampler;
    build(native_candidates(), std::move(with));
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

/// Makes a loader whose slots hold the largest batch, where there is none yet.
void SampleLoader::Impl::make_room(const std::vector<Indices>& batches) {
  const std::size_t most = std::max(options.batch_size(), largest(batches));
  if (loader && most <= room) return;
  loader.reset();
  LoaderOptions with = loader_options;
  with.batch_size = 1;
  with.drop_last = false;
  with.batch_sampler = std::make_shared<DrawnBatches>([this] { return drawn; }, most);
  build(drawn_candidates(batches), std::move(with));
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

/// A LibTorch sampler's batches that were not delivered.
std::vector<Indices> SampleLoader::Impl::left() const {
  if (restored) return *restored;
  return {drawn.begin() + static_cast<std::ptrdiff_t>(std::min(delivered, drawn.size())),
          drawn.end()};
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

void SampleLoader::Impl::save_native(::torch::serialize::OutputArchive& archive) const {
  if (!state && !loader) return;
  ::torch::serialize::OutputArchive nested;
  nested << (state ? *state : loader->state());
  archive.write(loader_key, nested);
}

void SampleLoader::Impl::save_drawn(::torch::serialize::OutputArchive& archive) const {
  if (!options.enforce_ordering()) {
    throw Error(ErrorCode::invalid_state,
                "a state needs enforce_ordering: batches that were delivered as they came are not "
                "the first ones");
  }
  archive.write(made_for_key, c10::IValue(made_for(source, order)));
  write_batches(archive, left());
  ::torch::serialize::OutputArchive nested;
  order.save(nested);
  archive.write(sampler_key, nested);
}

void SampleLoader::save(::torch::serialize::OutputArchive& archive) const {
  // An epoch that is to go on counts as begun.
  const std::uint64_t begun = impl_->epochs + (impl_->restored ? 1 : 0);
  archive.write(epochs_key, c10::IValue(static_cast<std::int64_t>(begun)));
  impl_->order.sampler ? impl_->save_native(archive) : impl_->save_drawn(archive);
}

void SampleLoader::Impl::load_native(::torch::serialize::InputArchive& archive) {
  const std::uint64_t begun = read_epochs(archive);
  std::optional<LoaderState> saved;
  ::torch::serialize::InputArchive nested;
  if (archive.try_read(loader_key, nested)) {
    nested >> saved.emplace();
  } else if (begun > 0) {
    refuse_state("the archive holds no place in the order of a sampler of stoker's");
  }
  state = std::move(saved);
  epochs = begun;
}

void SampleLoader::Impl::load_drawn(::torch::serialize::InputArchive& archive) {
  const std::uint64_t begun = read_epochs(archive);
  check_made_for(archive, made_for(source, order));
  std::vector<Indices> batches = read_batches(archive, source.size);
  if (begun == 0 && !batches.empty()) {
    refuse_state("the number of epochs in the archive is damaged");
  }
  load_sampler(archive);
  // An epoch in work goes on under its number, of which the loader may know other batches.
  loader.reset();
  epochs = batches.empty() ? begun : begun - 1;
  restored.reset();
  drawn.clear();
  if (!batches.empty()) restored = std::move(batches);
}

/// A sampler says in its own way what it misses in an archive.
void SampleLoader::Impl::load_sampler(::torch::serialize::InputArchive& archive) const {
  ::torch::serialize::InputArchive nested;
  if (!archive.try_read(sampler_key, nested)) refuse_state("the archive holds no sampler");
  try {
    order.load(nested);
  } catch (const c10::Error& error) {
    throw Error(ErrorCode::bad_state,
                std::string("the archive's sampler is damaged: ") + error.what_without_backtrace());
  }
}

void SampleLoader::load(::torch::serialize::InputArchive& archive) {
  impl_->order.sampler ? impl_->load_native(archive) : impl_->load_drawn(archive);
  impl_->epoch.reset();
}

Stats SampleLoader::stats() const { return impl_->loader ? impl_->loader->stats() : Stats{}; }

}  // namespace stoker::torch
