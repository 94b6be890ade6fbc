#pragma once

#include <stoker/core/error.hpp>
#include <stoker/engine/stats.hpp>
#include <stoker/torch/data_loader_options.hpp>
#include <stoker/torch/detail/batch_stream.hpp>
#include <stoker/torch/detail/current_batch.hpp>

#include <torch/data/dataloader_options.h>
#include <torch/serialize/input-archive.h>
#include <torch/serialize/output-archive.h>

#include <cstdint>
#include <memory>
#include <utility>

namespace stoker::torch {

/// What make_data_loader returns: batches of a torch::data dataset, as torch::data's own loaders
/// give them. `begin` starts an epoch, also where the last one was left early; the loop may be left
/// by `break`. Workers live as long as the loader, or until `join`. Used by one thread at a time.
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
      : stream_(std::move(stream)),
        stoker_options_(std::move(options)),
        options_(stoker_options_.full_options()) {}

  /// Begins the next epoch; iterators of the one before are no longer of use. The first one reads a
  /// sample, to learn what samples are like.
  /// @throws Error(invalid_state) behind `join`.
  Iterator begin() {
    current_.restart();
    stream().start();
    return {this, current_.epoch()};
  }
  Iterator end() { return {}; }

  /// Ends the workers and gives back what they had ready, as torch::data's loaders do; waits for
  /// samples that they are at. Batches that were delivered stay, the loader gives no more.
  void join() {
    if (!stream_) return;
    stats_ = stream_->stats();
    current_.restart();
    stream_.reset();
  }

  /// The options that torch::data's loaders have, in their form.
  const ::torch::data::FullDataLoaderOptions& options() const noexcept { return options_; }
  /// All options, as they were given.
  const DataLoaderOptions& stoker_options() const noexcept { return stoker_options_; }
  /// Counters since the first epoch began, up to `join`.
  Stats stats() const { return stream_ ? stream_->stats() : stats_; }

  /// Writes where the run stands, behind the batches that were delivered; with a sampler of
  /// LibTorch's also what is left of its epoch, and its own state.
  /// @throws Error(unsupported) for a dataset without indices, which cannot go on from a place;
  /// Error(invalid_state) behind `join`.
  void save(::torch::serialize::OutputArchive& archive) const { stream().save(archive); }
  /// Goes on there with the next `begin`. @throws as `save`, and Error(bad_state) for a state that
  /// does not fit: the walk goes on as if it had not been loaded then.
  void load(::torch::serialize::InputArchive& archive) {
    stream().load(archive);
    current_.restart();
  }

 private:
  friend Iterator;
  BatchType* look(std::uint64_t epoch) {
    return current_.look(epoch, [this] { return stream().next(); });
  }
  void advance(std::uint64_t epoch) {
    current_.advance(epoch, [this] { return stream().next(); });
  }
  detail::BatchStream<BatchType>& stream() const {
    if (stream_) return *stream_;
    throw Error(ErrorCode::invalid_state, "the loader was joined: it gives no more batches");
  }

  std::unique_ptr<detail::BatchStream<BatchType>> stream_;
  DataLoaderOptions stoker_options_;
  ::torch::data::FullDataLoaderOptions options_;
  Stats stats_;  ///< behind `join`
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
