#pragma once

#include <stoker/core/error.hpp>
#include <stoker/device/device.hpp>
#include <stoker/engine/batch.hpp>
#include <stoker/engine/producer.hpp>
#include <stoker/engine/stats.hpp>
#include <stoker/engine/worker_pool.hpp>
#include <stoker/pipeline/pipeline.hpp>
#include <stoker/samplers/sampler.hpp>
#include <stoker/sources/source.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>

namespace stoker {

/// What happens where a sample fails.
enum class OnError : std::uint8_t {
  fail,  ///< the sample's batch is thrown as Error at its place in the order; the next call goes on
  skip,  ///< another sample, chosen by seed, epoch, position and attempt, takes its place
};

/// In which order batches are delivered.
enum class Delivery : std::uint8_t {
  in_order,
  as_completed,  ///< each batch as soon as it is complete; its number says which it is
};

/// What happens where the consumer holds every slot and asks for another batch.
enum class OnAllHeld : std::uint8_t {
  wait,  ///< wait for a release until the timeout, then Error(all_slots_held)
  grow,  ///< allocate one more slot, freed on release
};

/// How a loader works. Every option has a default.
struct LoaderOptions {
  /// num_workers: one worker a core, less one for the consumer; respects cgroups and affinity.
  static constexpr int automatic = -1;

  std::size_t batch_size = 1;
  /// Visit the samples in torch.randperm's order for seed + epoch. Not together with `sampler`.
  bool shuffle = false;
  std::uint64_t seed = 0;
  /// Decoding threads. 0 does all work in the consumer's thread, for debugging.
  int num_workers = automatic;
  /// Batches kept ready or in work ahead of the consumer, all workers together. At least 1.
  std::size_t prefetch = 4;
  /// Leave out a last batch with fewer than batch_size samples.
  bool drop_last = false;
  /// Where batches are delivered; nothing: the host.
  DevicePtr device = {};
  /// The consumer's stream, on which batches are ready when `next` returns.
  StreamRef stream = {};
  /// Device slots, where there is a device. At least 2.
  std::size_t device_prefetch = 2;
  /// Threads that read, for sources that may block; automatic: as many as workers, 2 to 16.
  int num_readers = automatic;
  /// Readers pause while this many encoded bytes wait for workers.
  std::size_t max_encoded_bytes = std::size_t{64} << 20;
  Delivery delivery = Delivery::in_order;
  OnError on_error = OnError::fail;
  OnAllHeld on_all_held = OnAllHeld::wait;
  /// How long `next` waits before Error(timeout); zero: for ever.
  std::chrono::milliseconds timeout{300'000};
  /// Workers shared with other loaders; `num_workers` is then theirs.
  std::shared_ptr<WorkerPool> workers = {};
  /// Another order than sequential or shuffled. It may leave samples out or repeat them; an index
  /// that the source does not have is an error at its batch.
  std::shared_ptr<const Sampler> sampler = {};
  /// Number of epochs of the run, if known: behind the last none is prefetched. 0: not known.
  std::uint64_t num_epochs = 0;
};

class LoaderCore;

/// One walk over the data; made by Loader::epoch. An input range: a batch is lent until the
/// iterator moves on, unless it is moved out (`Batch kept = std::move(batch)`). Leaving early is
/// fine. Must not outlive its loader. Used by one thread at a time.
class Epoch {
 public:
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Batch;
    using difference_type = std::ptrdiff_t;
    using pointer = Batch*;
    using reference = Batch&;

    Iterator() = default;
    explicit Iterator(Epoch* epoch) : epoch_(epoch) { ++*this; }
    Batch& operator*() const { return epoch_->current_; }
    Batch* operator->() const { return &epoch_->current_; }
    Iterator& operator++();
    void operator++(int) { ++*this; }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.epoch_ == b.epoch_; }

   private:
    Epoch* epoch_ = nullptr;
  };

  /// Waits for the next batch; nothing at the epoch's end.
  /// @throws Error of a failed sample (the next call continues with the batch behind it),
  /// Error(timeout), Error(all_slots_held), Error(invalid_state) once another epoch was started.
  std::optional<Batch> next();
  /// The same, ready on another stream than the loader's.
  std::optional<Batch> next(StreamRef stream);

  Iterator begin() { return Iterator(this); }
  Iterator end() const { return {}; }

 private:
  friend class Loader;
  Epoch(LoaderCore& core, std::uint64_t ticket);

  LoaderCore* core_;
  std::uint64_t ticket_;
  Batch current_;
};

/// Feeds a training loop: reads, decodes and augments ahead on worker threads and delivers batches
/// in order, the same to the bit for any num_workers, num_readers and prefetch. Threads start at
/// construction and live as long as the loader, across epochs.
///
/// Construction and calls belong to one thread at a time (the consumer's); batches may be released
/// on any thread. Destruction in any state is safe: it waits for running reads and transforms, not
/// for queued ones, and batches still held stay valid (their names only while the source lives). A
/// moved-from loader can be destroyed and assigned to, nothing else. A child process made with fork
/// has none of the threads: make its loaders in it.
class Loader {
 public:
  /// Loads from a source through a pipeline. `source` must outlive the loader.
  /// @throws Error(invalid_argument), Error(invalid_pipeline) where the pipeline's output has no
  /// fixed size, Error(empty_source), Error(out_of_memory).
  Loader(const Source& source, const Pipeline& pipeline, LoaderOptions options = {});
  /// Loads what a producer makes. The loader shares its ownership.
  Loader(std::shared_ptr<const Producer> producer, LoaderOptions options = {});
  ~Loader();
  Loader(Loader&&) noexcept;
  Loader& operator=(Loader&&) noexcept;

  /// Starts an epoch at its beginning, also where an earlier one was left early. While an epoch
  /// drains the next one is prefetched, so asking for epochs in order costs no stop between them.
  /// `last` says that none will follow.
  Epoch epoch(std::uint64_t epoch, bool last = false);

  /// Batches in an epoch.
  std::uint64_t size() const noexcept;
  /// The options with everything automatic decided.
  const LoaderOptions& options() const noexcept;
  const std::vector<FieldSpec>& fields() const noexcept;
  /// Counters since construction or the last reset. May be called by any thread at any time.
  Stats stats() const;
  void reset_stats();

 private:
  std::unique_ptr<LoaderCore> core_;
};

}  // namespace stoker
