#include <stoker/torch/sample_loader.hpp>

#include "bindings/torch/slot_tensors.hpp"
#include "bindings/torch/tensor_producer.hpp"
#include <stoker/engine/loader.hpp>
#include <stoker/torch/device.hpp>
#include <stoker/torch/state.hpp>

#include <ATen/ATen.h>

#include <algorithm>
#include <new>
#include <string>
#include <utility>

namespace stoker::torch {
namespace {

using Indices = DrawnBatches::Indices;

constexpr const char* epochs_key = "stoker_epochs";
constexpr const char* indices_key = "stoker_indices";
constexpr const char* firsts_key = "stoker_firsts";
constexpr const char* loader_key = "stoker_loader";
constexpr const char* sampler_key = "stoker_sampler";

[[noreturn]] void refuse_state(const char* why) { throw Error(ErrorCode::bad_state, why); }

/// Batches as two tensors of int64: all indices, and where each batch begins.
void write_batches(::torch::serialize::OutputArchive& archive,
                   const std::vector<Indices>& batches) {
  std::vector<std::int64_t> indices, firsts{0};
  for (const Indices& batch : batches) {
    indices.insert(indices.end(), batch.begin(), batch.end());
    firsts.push_back(static_cast<std::int64_t>(indices.size()));
  }
  archive.write(indices_key, at::tensor(indices, at::kLong), true);
  archive.write(firsts_key, at::tensor(firsts, at::kLong), true);
}

std::vector<std::int64_t> read_numbers(::torch::serialize::InputArchive& archive, const char* key) {
  at::Tensor tensor;
  if (!archive.try_read(key, tensor, true) || tensor.dtype() != at::kLong || tensor.dim() != 1) {
    refuse_state("the archive holds no place in a LibTorch sampler's batches");
  }
  const at::Tensor plain = tensor.cpu().contiguous();
  const auto* data = plain.data_ptr<std::int64_t>();
  return {data, data + plain.numel()};
}

std::vector<Indices> read_batches(::torch::serialize::InputArchive& archive) {
  const std::vector<std::int64_t> indices = read_numbers(archive, indices_key);
  const std::vector<std::int64_t> firsts = read_numbers(archive, firsts_key);
  const bool whole = !firsts.empty() && firsts.front() == 0 &&
                     firsts.back() == static_cast<std::int64_t>(indices.size()) &&
                     std::ranges::is_sorted(firsts) &&
                     std::ranges::none_of(indices, [](std::int64_t i) { return i < 0; });
  if (!whole) refuse_state("a LibTorch sampler's batches in the archive are damaged");
  std::vector<Indices> batches;
  for (std::size_t b = 0; b + 1 < firsts.size(); ++b) {
    batches.emplace_back(indices.begin() + firsts[b], indices.begin() + firsts[b + 1]);
  }
  return batches;
}

std::size_t largest(const std::vector<Indices>& batches) {
  std::size_t most = 0;
  for (const Indices& batch : batches) most = std::max(most, batch.size());
  return most;
}

}  // namespace

struct SampleLoader::Impl {
  Impl(SampleSource samples, SampleOrder visiting, DataLoaderOptions how)
      : source(std::move(samples)), order(std::move(visiting)), options(std::move(how)) {}

  void start_native();
  void start_drawn();
  void build(const Indices& candidates, LoaderOptions loader_options);
  std::shared_ptr<const TensorProducer> make_producer(const Indices& candidates) const;
  Indices first_candidates(std::uint64_t epoch) const;
  std::optional<stoker::Batch> next_batch();
  std::vector<at::Tensor> as_tensors(stoker::Batch batch) const;
  std::vector<Indices> left() const;

  SampleSource source;
  SampleOrder order;
  DataLoaderOptions options;
  std::shared_ptr<const TensorProducer> producer;
  std::optional<Loader> loader;
  std::optional<Epoch> epoch;
  std::uint64_t epochs = 0;  ///< begun
  std::size_t delivered = 0;

  // With a LibTorch sampler.
  std::vector<Indices> drawn;  ///< of the epoch in work
  std::optional<std::vector<Indices>> restored;

  // With one of stoker's.
  std::optional<LoaderState> state;  ///< to go on from
};

/// The first sample that can be read; with OnError::fail that is the first one.
std::shared_ptr<const TensorProducer> SampleLoader::Impl::make_producer(
    const Indices& candidates) const {
  for (std::size_t i = 0;; ++i) {
    const bool last = options.on_error() == OnError::fail || i + 1 == candidates.size();
    const SampleContext context{
        candidates[i], "get(" + std::to_string(candidates[i]) + ")", {}, {}};
    try {
      return std::make_shared<TensorProducer>(source, candidates[i]);
    } catch (const Error&) {
      if (last) throw;
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& error) {
      if (last) throw Error(ErrorCode::user_code, error.what(), context);
    }
  }
}

void SampleLoader::Impl::build(const Indices& candidates, LoaderOptions loader_options) {
  producer = make_producer(candidates);
  loader.emplace(producer, std::move(loader_options));
}

/// The indices of an epoch's first batch.
Indices SampleLoader::Impl::first_candidates(std::uint64_t number) const {
  std::vector<std::uint64_t> indices(
      std::min<std::uint64_t>(options.batch_size(), order.sampler->size()));
  order.sampler->order(options.seed(), number)->read(0, indices);
  return {indices.begin(), indices.end()};
}

void SampleLoader::Impl::start_native() {
  std::uint64_t number = state ? state->epoch : epochs;
  if (!loader) {
    if (order.sampler->size() == 0) throw Error(ErrorCode::empty_source, "the sampler is empty");
    LoaderOptions loader_options = options.loader_options();
    loader_options.sampler = order.sampler;
    build(first_candidates(number), std::move(loader_options));
  }
  if (state) loader->load_state(*std::exchange(state, std::nullopt));
  epoch.emplace(loader->epoch(number));
  epochs = number + 1;
}

void SampleLoader::Impl::start_drawn() {
  drawn = restored ? *std::exchange(restored, std::nullopt) : order.draw();
  delivered = 0;
  epoch.reset();
  const std::uint64_t number = epochs++;
  if (drawn.empty()) return;
  if (!loader) {
    const auto most = std::max(options.batch_size(), largest(drawn));
    LoaderOptions loader_options = options.loader_options();
    loader_options.batch_size = 1;
    loader_options.drop_last = false;
    loader_options.batch_sampler = std::make_shared<DrawnBatches>([this] { return drawn; }, most);
    const Indices& first = drawn.front();
    if (first.empty())
      throw Error(ErrorCode::invalid_argument, "the sampler's first batch is empty");
    build(first, std::move(loader_options));
  }
  epoch.emplace(loader->epoch(number));
}

/// A batch that is thrown counts as delivered: the next call goes on behind it.
std::optional<stoker::Batch> SampleLoader::Impl::next_batch() {
  try {
    auto batch = epoch->next(current_stream(loader->options().device->id()));
    ++delivered;
    return batch;
  } catch (const Error& error) {
    const bool still_due =
        error.code() == ErrorCode::timeout || error.code() == ErrorCode::all_slots_held;
    if (!still_due) ++delivered;
    throw;
  }
}

std::vector<at::Tensor> SampleLoader::Impl::as_tensors(stoker::Batch batch) const {
  const auto lease = std::make_shared<SlotLease>(std::move(batch));
  std::vector<at::Tensor> tensors;
  for (const TensorSpec& spec : producer->specs()) {
    const TensorView field = lease->batch[producer->fields()[tensors.size()].name];
    std::vector<std::int64_t> sizes{field.shape[0]};
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

void SampleLoader::save(::torch::serialize::OutputArchive& archive) const {
  archive.write(epochs_key, c10::IValue(static_cast<std::int64_t>(impl_->epochs)));
  if (impl_->order.sampler) {
    if (!impl_->loader) return;
    ::torch::serialize::OutputArchive loader;
    loader << (impl_->state ? *impl_->state : impl_->loader->state());
    archive.write(loader_key, loader);
    return;
  }
  if (impl_->options.enforce_ordering()) {
    write_batches(archive, impl_->left());
  } else {
    throw Error(ErrorCode::invalid_state,
                "a state needs enforce_ordering: batches that were "
                "delivered as they came are not the first ones");
  }
  ::torch::serialize::OutputArchive sampler;
  impl_->order.save(sampler);
  archive.write(sampler_key, sampler);
}

void SampleLoader::load(::torch::serialize::InputArchive& archive) {
  c10::IValue epochs;
  if (!archive.try_read(epochs_key, epochs) || !epochs.isInt() || epochs.toInt() < 0) {
    refuse_state("the archive holds no state of a stoker data loader");
  }
  ::torch::serialize::InputArchive nested;
  if (impl_->order.sampler) {
    impl_->state.reset();
    if (archive.try_read(loader_key, nested)) nested >> impl_->state.emplace();
  } else {
    std::vector<Indices> batches = read_batches(archive);
    if (!archive.try_read(sampler_key, nested)) refuse_state("the archive holds no sampler");
    impl_->order.load(nested);
    impl_->restored.reset();
    if (!batches.empty()) impl_->restored = std::move(batches);
  }
  impl_->epoch.reset();
  // An epoch in work goes on under its number.
  const std::int64_t number = epochs.toInt() - (impl_->restored ? 1 : 0);
  if (number < 0) refuse_state("the number of epochs in the archive is damaged");
  impl_->epochs = static_cast<std::uint64_t>(number);
}

Stats SampleLoader::stats() const { return impl_->loader ? impl_->loader->stats() : Stats{}; }

}  // namespace stoker::torch
