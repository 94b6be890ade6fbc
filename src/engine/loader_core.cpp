#include "src/engine/loader_core.hpp"

#include "src/core/trace_range.hpp"
#include "src/engine/atomic_file.hpp"
#include "src/engine/available_memory.hpp"
#include "src/engine/batch_lease.hpp"
#include "src/engine/loader_options.hpp"
#include "src/engine/run_identity.hpp"
#include "src/engine/stuck_samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

namespace stoker {
namespace {

Deadline deadline_after(std::chrono::milliseconds timeout) {
  constexpr std::chrono::hours for_ever{24 * 365 * 100};  // the clock's end is not much further
  if (timeout.count() == 0 || timeout > for_ever) return std::nullopt;
  return std::chrono::steady_clock::now() + timeout;
}

/// Counts the consumer's time until its own end, also where an error is thrown.
class CountedWait {
 public:
  explicit CountedWait(WaitHistogram& waits) : waits_(waits) {}
  ~CountedWait() { waits_.add(timer_.elapsed()); }
  CountedWait(const CountedWait&) = delete;
  CountedWait& operator=(const CountedWait&) = delete;

 private:
  WaitHistogram& waits_;
  Timer timer_;
};

/// The system promises more memory than it has and ends processes that believe it: ask first.
SlotLayout checked_for_memory(SlotLayout layout, std::size_t slots) {
  const std::size_t available = available_memory();
  if (layout.bytes() <= available / slots) return layout;
  throw Error(
      ErrorCode::out_of_memory,
      fmt::format("a ring of {} slots of {:.1f} MB does not fit into the {:.1f} MB of memory "
                  "that are available: lower batch_size or prefetch",
                  slots, static_cast<double>(layout.bytes()) * 1e-6,
                  static_cast<double>(available) * 1e-6));
}

}  // namespace

LoaderCore::LoaderCore(std::shared_ptr<const Producer> producer, LoaderOptions options)
    : producer_(std::move(producer)),
      options_(resolve(std::move(options), *producer_)),
      device_(options_.device),
      schedule_(make_schedule(options_, producer_->size())),
      batches_per_epoch_(schedule_->steps(0)),
      cursor_(batches_per_epoch_, options_.num_epochs),
      host_ring_(std::make_shared<SlotRing>(
          device_,
          checked_for_memory({producer_->fields(), schedule_->max_batch_size()},
                             options_.prefetch + 1),
          SlotRing::Place::host, options_.prefetch + 1)),
      filler_(*producer_, host_ring_->layout(), options_, counters_),
      counting_since_(std::chrono::steady_clock::now()) {
  if (!device_->zero_copy()) prepare_device();
  if (options_.static_batch) {
    fixed_ = std::make_unique<FixedSlot>(device_, delivering_ring().layout());
  }
  if (writes_snapshots()) {
    options_.snapshot.path = file_to_replace(options_.snapshot.path);
    check_writable(options_.snapshot.path);
  }
}

void LoaderCore::prepare_device() {
  const std::shared_ptr<const DeviceStage> stage = producer_->device_stage();
  const SlotLayout& host = host_ring_->layout();
  device_ring_ = std::make_shared<SlotRing>(
      device_, stage ? SlotLayout(stage->outputs(), host.batch_size()) : host,
      SlotRing::Place::device, options_.device_prefetch);
  transfer_ = std::make_unique<DeviceTransfer>(device_, host, device_ring_->layout(), stage);
}

/// All ranks' states are the same: one writes them.
bool LoaderCore::writes_snapshots() const noexcept {
  return !options_.snapshot.path.empty() && options_.rank == 0;
}

void LoaderCore::start() {
  if (writes_snapshots()) {
    snapshots_ = std::make_unique<SnapshotWriter>(options_.snapshot.path, identity());
  }
  if (options_.num_workers > 0) {
    executor_ = options_.workers->share();
    toucher_ = std::make_unique<PageToucher>(*executor_);
    host_ring_->touch_from(*toucher_);
    toucher_->finish();
    feeder_ = std::make_unique<ThreadedFeeder>(ThreadedFeeder::Parameters{
        *producer_, *host_ring_, cursor_, *schedule_, filler_, *executor_, counters_, generation_,
        options_.prefetch + 1, options_.num_readers, options_.max_encoded_bytes,
        options_.workers->processors()});
    collector_ = std::make_unique<Collector>(feeder_->completed(), *host_ring_, options_.delivery,
                                             batches_per_epoch(), generation_);
    stream_ = collector_.get();
  } else {
    serial_ = std::make_unique<SerialFeeder>(
        SerialFeeder::Parameters{*host_ring_, cursor_, *schedule_, filler_, counters_});
    stream_ = serial_.get();
  }
  if (device_ring_) {
    prefetcher_ = std::make_unique<Prefetcher>(Prefetcher::Parameters{
        *stream_, *host_ring_, *device_ring_, counters_, *transfer_, options_.device_prefetch,
        feeder_ != nullptr,
        options_.workers ? options_.workers->processors() : std::vector<int>{}});
    stream_ = prefetcher_.get();
  }
}

/// First everything that waits is told to stop, then each part is waited for, consumers of a queue
/// before its producers.
LoaderCore::~LoaderCore() {
  if (feeder_) feeder_->close();
  prefetcher_.reset();
  collector_.reset();
  feeder_.reset();
}

std::uint64_t LoaderCore::start_epoch(std::uint64_t epoch, bool last) {
  check_epoch(epoch);
  last = last || schedule_->epochs_differ();
  const bool resumed = resume_ && resume_->epoch == epoch;
  const EpochStart start = resumed ? *resume_ : EpochStart{epoch, 0, 0};
  const bool guessed_right = !resumed && is_next_in_row(epoch);
  const bool cancels = !guessed_right && !is_idle();
  size_ = schedule_->size_in(epoch);
  steps_ = schedule_->steps_in(epoch, start.from);
  if (cancels) counters_.epochs_cancelled.add();
  if (!guessed_right) {
    restart(start, last);
  } else if (last) {
    cursor_.announce_last(epoch);
  }
  resume_.reset();
  start_ = start;
  taken_ = 0;
  ended_ = false;
  started_ = true;
  last_ = last;
  return ++ticket_;
}

/// Whether the batches that are in work as a guess are this epoch's.
bool LoaderCore::is_next_in_row(std::uint64_t epoch) const {
  return started_ && !last_ && epoch == start_.epoch + 1 && taken_ == steps_ &&
         (options_.num_epochs == 0 || epoch < options_.num_epochs);
}

/// Whether nothing is in work, not even as a guess.
bool LoaderCore::is_idle() const noexcept { return !started_ || (last_ && taken_ == steps_); }

void LoaderCore::restart(const EpochStart& start, bool last) {
  const std::uint64_t generation = generation_.load(std::memory_order_relaxed) + 1;
  generation_.store(generation, std::memory_order_release);
  cursor_.restart(generation, start, steps_, last);
}

/// Where the run goes on if it is stopped now. Where ranks have unequal numbers of batches, one has
/// been told of the epoch's end while another has its last batch: both stand at the next beginning.
EpochStart LoaderCore::place() const {
  if (resume_) return *resume_;
  if (!started_) return {};
  const std::uint64_t position = schedule_->position_after(start_.from, taken_);
  if (ended_ || position >= size_) return {start_.epoch + 1, 0, 0};
  return {start_.epoch, position, 0};
}

void LoaderCore::check_in_order(const char* what) const {
  if (options_.delivery == Delivery::in_order) return;
  throw Error(ErrorCode::invalid_state,
              fmt::format("{} needs Delivery::in_order: the batches that were delivered as they "
                          "were completed are not the first ones of the order",
                          what));
}

const LoaderState& LoaderCore::identity() const {
  if (!identity_) identity_ = run_identity(options_, *producer_, *schedule_);
  return *identity_;
}

LoaderState LoaderCore::state() const {
  check_in_order("a state");
  LoaderState state = identity();
  const EpochStart here = place();
  state.epoch = here.epoch;
  state.position = here.from;
  return state;
}

void LoaderCore::check(const LoaderState& state) const {
  check_in_order("a state");
  check_continues(state, identity(), *schedule_);
}

void LoaderCore::resume(const LoaderState& state) {
  // As if the batches before had been of this loader's size, for this many ranks.
  const std::uint64_t in_a_batch = options_.batch_sampler ? 1 : options_.batch_size;
  resume_ =
      EpochStart{state.epoch, state.position, state.position / in_a_batch / options_.world_size};
  ++ticket_;
  since_snapshot_ = 0;
}

Statement LoaderCore::statement() const {
  const LoaderState& run = identity();
  Statement statement;
  statement.facts = {{"call", "construction of a loader"},
                     {"source", run.source},
                     {"pipeline", run.pipeline},
                     {"seed", fmt::to_string(run.seed)},
                     {"sampler", run.sampler},
                     {"remainder", run.remainder},
                     {"drop_last", fmt::to_string(run.drop_last)},
                     {"batch_size", fmt::to_string(run.batch_size)},
                     {"world_size", fmt::to_string(run.world_size)}};
  if (options_.remainder != Remainder::uneven) {
    statement.facts.push_back({"number of batches", fmt::to_string(batches_per_epoch_)});
  }
  statement.data = DataRanks{options_.rank, options_.world_size};
  return statement;
}

void LoaderCore::snapshot() {
  const EpochStart here = place();
  snapshots_->post(here.epoch, here.from);
  since_snapshot_ = 0;
}

void LoaderCore::snapshot_if_due() {
  if (!snapshots_) return;
  if (const std::optional<Error> failure = snapshots_->take_failure()) throw *failure;
  if (since_snapshot_ >= options_.snapshot.every_n_batches) snapshot();
}

std::optional<Batch> LoaderCore::next(std::uint64_t ticket, StreamRef stream) {
  if (ticket != ticket_) {
    throw Error(ErrorCode::invalid_state, "another epoch was started since; this one is over");
  }
  snapshot_if_due();
  if (taken_ == steps_) {
    if (!std::exchange(ended_, true) && snapshots_) snapshot();
    return std::nullopt;
  }
  if (fixed_) fixed_->require_released();
  const TraceRange range(TraceStage::next, start_.first_number + taken_);
  const CountedWait wait(counters_.wait);
  Slot& slot = wait_for_batch();
  ++taken_;
  ++since_snapshot_;
  if (slot.info.failure) throw_failure(slot);
  const std::size_t samples = slot.info.samples;
  Batch batch = fixed_ ? lend_fixed(slot, stream) : lend(slot, stream);
  counters_.deliver.items.add();
  counters_.samples_delivered.add(samples);
  return batch;
}

/// Returns the next batch of the present generation.
Slot& LoaderCore::wait_for_batch() {
  const Deadline deadline = deadline_after(options_.timeout);
  for (;;) {
    Slot* slot = stream_->try_next();
    if (slot == nullptr) {
      make_room(deadline);
      slot = stream_->next(deadline);
    }
    if (slot == nullptr) {
      throw_if_broken();
      if (serial_) continue;  // a slot was released or added: there is one to fill
      throw Error(ErrorCode::timeout,
                  fmt::format("no batch within {} ms: {}", options_.timeout.count(),
                              stuck_samples(*host_ring_, *producer_)),
                  {std::nullopt, "", start_.epoch, start_.first_number + taken_});
    }
    if (slot->info.generation == generation_.load(std::memory_order_relaxed)) return *slot;
    drop(*slot);
  }
}

/// Where the consumer holds every slot, nothing can become ready until one is released or added.
void LoaderCore::make_room(Deadline deadline) {
  throw_if_broken();
  SlotRing& ring = delivering_ring();
  if (!ring.all_held()) return;
  if (options_.on_all_held == OnAllHeld::grow) {
    ring.grow();
    return;
  }
  const auto changed = [&] { return !ring.all_held() || ring.failure(); };
  const bool in_time = ring.released().wait(changed, deadline);
  throw_if_broken();
  if (in_time) return;
  throw Error(
      ErrorCode::all_slots_held,
      fmt::format("the consumer holds all {} batches of the ring and released none within "
                  "{} ms; release batches, let more be ahead (prefetch, or max_jobs of a torch "
                  "data loader), or use on_all_held = grow",
                  ring.held(), options_.timeout.count()));
}

void LoaderCore::throw_if_broken() const {
  if (const std::optional<Error> failure = delivering_ring().failure()) throw *failure;
}

void LoaderCore::throw_failure(Slot& slot) {
  const Error failure = *std::exchange(slot.info.failure, std::nullopt);
  drop(slot);
  throw failure;
}

/// Gives a slot back that was not lent.
void LoaderCore::drop(Slot& slot) {
  slot.info.failure.reset();
  slot.state.move(state_to_lend(), SlotState::free);
  delivering_ring().put(slot);
}

Batch LoaderCore::lend(Slot& slot, StreamRef stream) {
  if (device_ring_) make_wait(stream, slot);
  return lend_from(device_ring_ ? device_ring_ : host_ring_, slot, stream);
}

Batch LoaderCore::lend_fixed(Slot& slot, StreamRef stream) {
  Slot& fixed = fixed_->receive(slot, state_to_lend(), delivering_ring(), stream);
  return lend_from(fixed_->ring(), fixed, stream);
}

Batch LoaderCore::lend_from(std::shared_ptr<SlotRing> ring, Slot& slot, StreamRef stream) {
  auto lease = std::make_unique<BatchLease>();
  lease->producer = producer_;
  lease->ring = std::move(ring);
  lease->slot = &slot;
  if (!device_->zero_copy()) lease->streams.push_back(stream);
  lease->ring->hold(slot, slot.state.get());
  return Batch(std::move(lease));
}

/// Lets the consumer's stream wait for the copy, unless that was seen to be done; the slot goes
/// back where that fails.
void LoaderCore::make_wait(StreamRef stream, Slot& slot) {
  if (slot.arrived.load(std::memory_order_acquire)) return;
  try {
    device_->wait(stream, slot.copied);
  } catch (const Error&) {
    drop(slot);
    throw;
  }
}

/// Time in which workers were idle and nothing waited for them: no more than they did not work, and
/// than there was nothing. Where work waits all the same, they wait for processors.
std::chrono::nanoseconds LoaderCore::workers_without_work(const Stats& stats) const {
  const auto idle = stats.elapsed * options_.num_workers - stats.produce.busy;
  const auto nothing_waits =
      (stats.elapsed - feeder_->queued_samples().total()) * options_.num_workers;
  return std::max(std::min(idle, nothing_waits), std::chrono::nanoseconds(0));
}

Stats LoaderCore::stats() const {
  Stats stats = counters_.stats();
  stats.elapsed = std::chrono::steady_clock::now() - counting_since_;
  if (feeder_) {
    stats.read.queue_depth = feeder_->queued_reads();
    stats.produce.queue_depth = feeder_->queued_samples().waiting();
    stats.deliver.queue_depth = feeder_->completed().size();
    stats.produce.blocked_on_input = workers_without_work(stats);
  }
  stats.slots_grown = delivering_ring().grown();
  if (stats.elapsed.count() > 0) {
    stats.starvation =
        static_cast<double>(stats.wait.total.count()) / static_cast<double>(stats.elapsed.count());
  }
  return stats;
}

void LoaderCore::reset_stats() {
  counters_.reset();
  if (feeder_) feeder_->queued_samples().reset();
  counting_since_ = std::chrono::steady_clock::now();
}

}  // namespace stoker
