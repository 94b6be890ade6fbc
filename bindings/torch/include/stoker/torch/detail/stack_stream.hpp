#pragma once

#include <stoker/torch/detail/batch_stream.hpp>
#include <stoker/torch/sample_loader.hpp>

#include <optional>
#include <utility>

namespace stoker::torch::detail {

/// Batches that are stacks of samples, gathered in the slots of a ring.
template <class Batch, class Fields>
class StackStream final : public BatchStream<Batch> {
 public:
  StackStream(SampleSource source, SampleOrder order, DataLoaderOptions options)
      : loader_(std::move(source), std::move(order), std::move(options)) {}

  void start() override { loader_.start(); }
  std::optional<Batch> next() override {
    auto fields = loader_.next();
    if (!fields) return std::nullopt;
    return Fields::make(std::move(*fields));
  }
  void save(::torch::serialize::OutputArchive& archive) const override { loader_.save(archive); }
  void load(::torch::serialize::InputArchive& archive) override { loader_.load(archive); }
  Stats stats() const override { return loader_.stats(); }

 private:
  SampleLoader loader_;
};

}  // namespace stoker::torch::detail
