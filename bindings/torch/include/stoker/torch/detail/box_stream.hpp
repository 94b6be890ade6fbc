#pragma once

#include <stoker/core/error.hpp>
#include <stoker/engine/loader.hpp>
#include <stoker/torch/data_loader_options.hpp>
#include <stoker/torch/detail/batch_stream.hpp>
#include <stoker/torch/detail/box_producer.hpp>
#include <stoker/torch/detail/map_tensors.hpp>
#include <stoker/torch/detail/numbered_batches.hpp>

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace stoker::torch::detail {

/// What batches are made of that a data set makes as a whole.
template <class Request, class Batch>
struct BoxSource {
  /// Makes one more copy of the data set, or a way to the shared one.
  std::function<typename BoxProducer<Request, Batch>::Read()> copy;
  /// Draws an epoch's requests, on the consumer's thread; null where the data set knows when it is
  /// exhausted.
  std::function<std::vector<Request>()> draw;
  /// Every request, where `draw` is null.
  std::optional<Request> request;
  /// Called before each epoch while no batch is being made.
  std::function<void()> reset;
  /// Whether a batch is delivered, and not left out; null: all are.
  std::function<bool(const Batch&)> keeps;
};

/// Batches that a data set makes as a whole, each on one worker.
template <class Request, class Batch>
class BoxStream final : public BatchStream<Batch> {
 public:
  BoxStream(BoxSource<Request, Batch> source, const DataLoaderOptions& options)
      : source_(std::move(source)), device_(options.device()) {
    check(options);
    auto read = source_.copy;
    if (device_.is_cuda()) read = pinning(std::move(source_.copy));
    LoaderOptions loader_options = options.loader_options();
    producer_ =
        std::make_shared<BoxProducer<Request, Batch>>(std::move(read), loader_options.timeout);
    if (source_.request) producer_->repeat(*source_.request);
    loader_options.device = host();
    loader_options.batch_size = 1;
    loader_options.drop_last = false;
    loader_options.batch_sampler = batches_;
    loader_.emplace(producer_, std::move(loader_options));
  }

  void start() override {
    epoch_.reset();
    const std::uint64_t number = epochs_++;
    if (!drawn_) drawn_ = source_.draw ? source_.draw() : std::vector<Request>();
    batches_->set_size(source_.draw ? drawn_->size() : NumberedBatches::most);
    producer_->begin(number, std::move(*drawn_), [this] {
      if (source_.reset) source_.reset();
    });
    drawn_.reset();
    delivered_ = 0;
    epoch_.emplace(loader_->epoch(number));
  }

  std::optional<Batch> next() override {
    while (epoch_) {
      std::optional<stoker::Batch> slot = next_slot();
      if (!slot) return std::nullopt;
      std::optional<Batch> batch = producer_->take((*slot)["box"].data);
      slot.reset();
      if (batch) {
        ++delivered_;
        if (source_.keeps && !source_.keeps(*batch)) continue;
        return to_device(std::move(*batch));
      }
      // The data set is exhausted; batches that others had begun before may still be due.
      if (producer_->settle() == delivered_) epoch_.reset();
    }
    return std::nullopt;
  }

  void save(::torch::serialize::OutputArchive& /*archive*/) const override { refuse_state(); }
  void load(::torch::serialize::InputArchive& /*archive*/) override { refuse_state(); }
  Stats stats() const override { return loader_->stats(); }

 private:
  static void check(const DataLoaderOptions& options) {
    const auto refuse = [](const char* why) { throw Error(ErrorCode::invalid_argument, why); };
    if (options.static_batch()) {
      refuse(
          "static_batch needs a dataset whose samples are stacked: batches that a dataset makes "
          "as a whole lie where it puts them");
    }
    if (options.on_error() == OnError::skip) {
      refuse(
          "on_error = skip needs a dataset whose samples are stacked: of a batch that is made as a "
          "whole no sample can be replaced");
    }
    if (options.stoker_device()) {
      refuse("stoker_device needs a dataset whose samples are stacked; give device");
    }
    if (!options.device().is_cpu() && !MapTensors<Batch>::can) {
      refuse(
          "batches of this type cannot be brought to a device, since not all of its tensors are "
          "known: deliver them to the CPU");
    }
  }

  /// A batch that failed is delivered with that.
  std::optional<stoker::Batch> next_slot() {
    try {
      return epoch_->next();
    } catch (const Error& error) {
      if (error.context().sample_index) ++delivered_;
      throw;
    }
  }

  [[noreturn]] static void refuse_state() {
    throw Error(ErrorCode::unsupported,
                "there is no state to go on from: this dataset makes its batches as a whole, "
                "without indices of samples. Stack samples that `get` returns to have one");
  }

  using Read = typename BoxProducer<Request, Batch>::Read;

  /// Puts tensors into pinned memory on the worker, so that they cross the bus on their own.
  static std::function<Read()> pinning(std::function<Read()> copy) {
    return [copy = std::move(copy)]() -> Read {
      return [read = copy()](Request request) {
        std::optional<Batch> batch = read(std::move(request));
        MapTensors<std::optional<Batch>>::apply(
            batch, [](const at::Tensor& tensor) { return tensor.pin_memory(); });
        return batch;
      };
    };
  }

  Batch to_device(Batch batch) const {
    if (device_.is_cpu()) return batch;
    MapTensors<Batch>::apply(batch, [this](const at::Tensor& tensor) {
      return tensor.to(device_, tensor.scalar_type(), /*non_blocking=*/true);
    });
    return batch;
  }

  BoxSource<Request, Batch> source_;
  c10::Device device_;
  std::shared_ptr<NumberedBatches> batches_ = std::make_shared<NumberedBatches>();
  std::shared_ptr<BoxProducer<Request, Batch>> producer_;
  std::optional<Loader> loader_;
  std::optional<Epoch> epoch_;
  std::optional<std::vector<Request>> drawn_;  ///< of an epoch that could not begin yet
  std::uint64_t epochs_ = 0;
  std::uint64_t delivered_ = 0;  ///< of this epoch, or left out
};

}  // namespace stoker::torch::detail
