#pragma once

#include <stoker/engine/stats.hpp>
#include <stoker/torch/data_loader_options.hpp>
#include <stoker/torch/detail/batch_stream.hpp>
#include <stoker/torch/detail/current_batch.hpp>

#include <torch/serialize/input-archive.h>
#include <torch/serialize/output-archive.h>

#include <cstdint>
#include <memory>
#include <utility>

namespace stoker::torch {

/// What make_data_loader returns: batches of a torch::data dataset, as torch::data's own loaders
/// give them. `begin` starts an epoch, also where the last one was left early; the loop may be left
/// by `break`. Workers live as long as the loader. Used by one thread at a time.
///
/// Tensors of batches that are stacks of samples lie in the loader's slots and own them, see
/// stoker::torch::Batch; they may be kept, and outlive the loader. What a sample throws is thrown
/// as stoker::Error at its batch's place, with the sample's index, by whichever call fetches that
/// batch: the first look at an iterator (`*`, `->`, `==`) or `++`. The next such call goes on
/// behind that batch; `begin` starts the next epoch.
template <class BatchType_>
class DataLoader {
 public:
  using BatchType = BatchType_;

  /// An input iterator: a batch is fetched when it is first looked at, and there until the next is
  /// asked for, unless it is moved out.
  using Iterator = detail::BatchIterator<DataLoader, BatchType>;

  DataLoader(std::unique_ptr<detail::BatchStream<BatchType>> stream, DataLoaderOptions options)
      : stream_(std::move(stream)), options_(std::move(options)) {}

  /// Begins the next epoch; iterators of the one before are no longer of use. The first one reads a
  /// sample, to learn what samples are like.
  Iterator begin() {
    current_.restart();
    stream_->start();
    return {this, current_.epoch()};
  }
  Iterator end() { return {}; }

  const DataLoaderOptions& options() const noexcept { return options_; }
  /// Counters since the first epoch began.
  Stats stats() const { return stream_->stats(); }

  /// Writes where the run stands, behind the batches that were delivered; with a sampler of
  /// LibTorch's also what is left of its epoch, and its own state.
  /// @throws Error(unsupported) for a dataset without indices, which cannot go on from a place.
  void save(::torch::serialize::OutputArchive& archive) const { stream_->save(archive); }
  /// Goes on there with the next `begin`. @throws Error(unsupported) as above, Error(bad_state)
  void load(::torch::serialize::InputArchive& archive) {
    current_.restart();
    stream_->load(archive);
  }

 private:
  friend Iterator;
  BatchType* look(std::uint64_t epoch) {
    return current_.look(epoch, [this] { return stream_->next(); });
  }
  void advance(std::uint64_t epoch) {
    current_.advance(epoch, [this] { return stream_->next(); });
  }

  std::unique_ptr<detail::BatchStream<BatchType>> stream_;
  DataLoaderOptions options_;
  detail::CurrentBatch<BatchType> current_;
};

/// torch::save and torch::load of a loader's place, alone or beside a model in one archive.
template <class BatchType>
::torch::serialize::OutputArchive& operator<<(::torch::serialize::OutputArchive& archive,
                                              const DataLoader<BatchType>& loader) {
  loader.save(archive);
  return archive;
}
template <class BatchType>
::torch::serialize::InputArchive& operator>>(::torch::serialize::InputArchive& archive,
                                             DataLoader<BatchType>& loader) {
  loader.load(archive);
  return archive;
}

}  // namespace stoker::torch
