#pragma once

#include <stoker/core/error.hpp>
#include <stoker/device/device.hpp>
#include <stoker/distributed/communicator.hpp>
#include <stoker/engine/batch.hpp>
#include <stoker/engine/loader_state.hpp>
#include <stoker/engine/producer.hpp>
#include <stoker/engine/stats.hpp>
#include <stoker/engine/worker_pool.hpp>
#include <stoker/pipeline/pipeline.hpp>
#include <stoker/pipeline/plan.hpp>
#include <stoker/samplers/batch_sampler.hpp>
#include <stoker/samplers/rank_split.hpp>
#include <stoker/samplers/sampler.hpp>
#include <stoker/sources/source.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <string>

namespace stoker {

/// What happens where a sample fails.
enum class OnError : std::uint8_t {
  fail,  ///< the sample's batch is thrown as Error at its place in the order; the next call goes on
  /// Another sample, chosen by seed, epoch, position and attempt, takes its place. With
  /// Remainder::uneven, where no sample may come twice, the place is masked in `valid` instead.
  skip,
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

/// Saves where a run stands, again and again, for `Loader::resume_or_start`. Written on a thread of
/// its own, to a temporary file that is renamed; only data rank 0 writes, since its state is
/// everybody's.
struct SnapshotOptions {
  std::filesystem::path path = {};  ///< empty: no snapshots
  /// After so many batches of this rank, and at each epoch's end. A snapshot is taken when the next
  /// batch is asked for: the batches before it have been worked with.
  std::uint64_t every_n_batches = 1000;
};

/// How a loader works. Every option has a default.
struct LoaderOptions {
  /// num_workers: one worker a core, less one for the consumer; respects cgroups and affinity. With
  /// a device and 4 cores or more, all threads of the loader keep off the core that the
  /// constructing thread runs on, so that its kernel launches keep their latency.
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
  /// Device slots, where there is a device. At least 2. One more than the steps that the host runs
  /// ahead of the device lets a batch arrive before it is asked for, which makes `next` cheapest.
  std::size_t device_prefetch = 3;
  /// Deliver every batch at the same address and of the same size, for CUDA graphs and compiled
  /// models: a copy on the consumer's stream, behind the batch's own. One batch can be held at a
  /// time; asking for the next one while holding it is Error(invalid_state). Places that an epoch's
  /// last batch has no samples for are filled with zeros and masked in `valid` (or use drop_last).
  bool static_batch = false;
  /// Where a pipeline's flip, normalise, cast and layout are done: the same bits either way.
  FinishOn finish = FinishOn::automatic;
  /// Where a pipeline's last resize is done: the same bits either way. On the device, CPU workers
  /// only decode, more bytes cross the bus, and a slot has room for crops of different sizes.
  ResizeOn resize_on = ResizeOn::cpu;
  /// That room, in bytes a sample; 0: three times the result's 8-bit pixels. A crop that finds no
  /// room, or that a device does not resize (interpolation nearest, ResizeTask::max_taps), is
  /// resized on the CPU and counted in Stats::resized_on_cpu.
  std::size_t crop_bytes = 0;
  /// Threads that read, for sources that may block; automatic: as many as workers, 2 to 16.
  int num_readers = automatic;
  /// Readers pause while this many encoded bytes wait for workers.
  std::size_t max_encoded_bytes = std::size_t{64} << 20;
  Delivery delivery = Delivery::in_order;
  OnError on_error = OnError::fail;
  OnAllHeld on_all_held = OnAllHeld::wait;
  /// How long `next` waits before Error(timeout); zero: for ever.
  std::chrono::milliseconds timeout{300'000};
  /// Workers shared with other loaders, an equal share of their time for each that has work;
  /// `num_workers` is then theirs.
  std::shared_ptr<WorkerPool> workers = {};
  /// Keep the loader's own workers on the processors of the device's NUMA node, where the system
  /// tells which those are and there are enough of them.
  bool near_device = true;
  /// Another order than sequential or shuffled. It may leave samples out or repeat them; an index
  /// that the source does not have is an error at its batch. The whole order of all ranks, or a
  /// DistributedSampler, which brings rank, world_size and remainder along.
  std::shared_ptr<const Sampler> sampler = {};
  /// Decides which samples make a batch together. Not together with batch_size, shuffle, drop_last
  /// or sampler. Ranks are given whole batches.
  std::shared_ptr<const BatchSampler> batch_sampler = {};
  /// Which part of the data this process gets: part `rank` of `world_size`, for processes that
  /// train together. See find_ranks() and data_ranks().
  std::uint64_t rank = 0;
  std::uint64_t world_size = 1;
  /// What becomes of samples that do not divide among the ranks.
  Remainder remainder = Remainder::pad;
  /// Lets the ranks check, at construction and when a state is loaded, that they have the same
  /// source, pipeline, order, settings and number of batches: all throw Error(ranks_disagree) where
  /// they do not. Every rank must then construct its loader and load states at the same time.
  std::shared_ptr<Communicator> communicator = {};
  SnapshotOptions snapshot = {};
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

  /// Number of batches in this walk: fewer than Loader::size() where it goes on from a state.
  std::uint64_t size() const noexcept { return size_; }

 private:
  friend class Loader;
  Epoch(LoaderCore& core, std::uint64_t ticket, std::uint64_t size);

  LoaderCore* core_;
  std::uint64_t ticket_;
  std::uint64_t size_;
  Batch current_;
};

/// Feeds a training loop: reads, decodes and augments ahead on worker threads and delivers batches
/// in order, the same to the bit for any num_workers, num_readers and prefetch. Threads start at
/// construction and live as long as the loader, across epochs. A run can be stopped anywhere and go
/// on later, also with other num_workers, prefetch, batch_size or world_size: see `state`.
///
/// Construction and calls belong to one thread at a time (the consumer's); batches may be released
/// on any thread. Destruction in any state is safe: it waits for running reads and transforms, not
/// for queued ones, but on a shared pool until a worker has come by to drop these; batches still
/// held stay valid (their names only while the source lives). A moved-from loader can be destroyed
/// and assigned to, nothing else. A child process made with fork has none of the threads: make its
/// loaders in it.
class Loader {
 public:
  /// Loads from a source through a pipeline. `source` must outlive the loader.
  /// @throws Error(invalid_argument), Error(invalid_pipeline) where the pipeline's output has no
  /// fixed size, Error(empty_source), Error(out_of_memory), Error(ranks_disagree); where snapshots
  /// cannot be written Error(not_found), Error(permission_denied) or Error(io_error).
  Loader(const Source& source, const Pipeline& pipeline, LoaderOptions options = {});
  /// Loads what a producer makes. The loader shares its ownership.
  Loader(std::shared_ptr<const Producer> producer, LoaderOptions options = {});
  ~Loader();
  Loader(Loader&&) noexcept;
  Loader& operator=(Loader&&) noexcept;

  /// Starts an epoch at its beginning, also where an earlier one was left early; only the first
  /// call after a state was loaded goes on where the state's epoch stood. While an epoch drains the
  /// next one is prefetched, so asking for epochs in order costs no stop between them. `last` says
  /// that none will follow. @throws Error(invalid_argument) from epoch 2^28 on.
  Epoch epoch(std::uint64_t epoch, bool last = false);

  /// Returns where the run stands: behind the batches that were delivered, whatever was prefetched;
  /// behind an epoch's last sample at the beginning of the following epoch. To be
  /// called on all ranks after the same number of batches, or on one of them for all.
  /// @throws Error(invalid_state) with Delivery::as_completed, where the delivered batches are not
  /// the first ones of the order.
  LoaderState state() const;

  /// Goes on where a state was taken: `epoch(state.epoch)` continues behind the batches that had
  /// been delivered, and ends an epoch in work. num_workers, prefetch, batch_size and world_size
  /// may be others than the state's. No sample is lost or comes twice but at the epoch's end, by
  /// the rule of `remainder` and drop_last for the present world size. With a communicator all
  /// ranks must call it, with states of the same place.
  /// @throws Error(bad_state) for another source, pipeline, seed, sampler, remainder, drop_last or
  /// version, Error(ranks_disagree), Error(invalid_state) with Delivery::as_completed. The loader
  /// is then as it was.
  void load_state(const LoaderState& state);

  /// Loads the state that snapshots wrote to a file, if there is one, and returns the epoch to go
  /// on with: 0 for a new run. With a communicator all ranks must call it, and those that do not
  /// see the file (on another machine's disk) get its content from those that do.
  /// @throws as `load_state`; Error(permission_denied), Error(io_error), Error(bad_state) where the
  /// file cannot be read.
  std::uint64_t resume_or_start(const std::filesystem::path& path);

  /// Batches of this rank in a whole epoch.
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
