#pragma once

#include <stoker/core/error.hpp>
#include <stoker/engine/producer.hpp>
#include <stoker/torch/detail/plain_errors.hpp>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace stoker::torch::detail {

/// Makes whole batches with a data set's get_batch, as the samples of an engine whose batches have
/// one sample: what get_batch returns is kept in a box beside the slot and taken out when the
/// batch is delivered. Each call gets a copy of the data set that no other call uses meanwhile, or
/// they share one that allows it.
///
/// Thread-safe, but `begin`, `settle` and `take` are the consumer's.
template <class Request, class Batch>
class BoxProducer final : public Producer {
 public:
  /// Makes a batch; nothing where the data set is exhausted.
  using Read = std::function<std::optional<Batch>(Request)>;

  /// `copy` makes one more copy of the data set, one call at a time; batches in work are waited for
  /// no longer than `timeout`, for ever where it is 0.
  BoxProducer(std::function<Read()> copy, std::chrono::milliseconds timeout)
      : copy_(std::move(copy)), timeout_(timeout) {}

  /// Ends what is in work, calls `between`, and goes on with an epoch of these requests.
  /// @throws Error(timeout), and makes no batches then until it is called again; leaves the
  /// requests as they were.
  template <class Between>
  void begin(std::uint64_t epoch, std::vector<Request>&& requests, Between between) {
    std::unique_lock lock(mutex_);
    epoch_.reset();  // batches of the old epoch that wait for a worker are not made
    wait_until_idle(lock, "before an epoch begins");
    between();
    epoch_ = epoch;
    requests_ = std::move(requests);
    exhausted_ = false;
    due_ = 0;
    boxes_.clear();
  }

  /// Says that all requests of an epoch are this one. LibTorch 2 lets no request be assigned.
  void repeat(Request request) { repeated_.emplace(std::move(request)); }

  /// Waits, once the data set is exhausted, until no batch is being made; returns how many batches
  /// of this epoch there are, those included that failed. @throws Error(timeout); call it again.
  std::uint64_t settle() {
    std::unique_lock lock(mutex_);
    wait_until_idle(lock, "behind the dataset's last one");
    return due_;
  }

  /// Takes the batch out of the box of a place.
  std::optional<Batch> take(const void* place) {
    const std::lock_guard lock(mutex_);
    auto box = boxes_.extract(place);
    if (box.empty()) return std::nullopt;
    return std::move(box.mapped());
  }

  std::uint64_t size() const override { return std::uint64_t{1} << 40; }
  const std::vector<FieldSpec>& fields() const override { return fields_; }
  std::string name(std::uint64_t index) const override {
    return "get_batch " + std::to_string(index);
  }
  std::string fingerprint() const override { return "LibTorch dataset"; }
  std::string pipeline() const override { return "get_batch"; }
  bool in_memory() const override { return true; }
  bool may_block() const override { return true; }
  Status read(std::uint64_t /*index*/, EncodedSample& /*sample*/) const override { return {}; }

  Status produce(std::uint64_t index, const EncodedSample& /*sample*/, const SamplePlace& place,
                 const RandomKey& key, ProduceCounters& /*counters*/) const override {
    std::optional<Work> work = take_work(index, key.epoch, place[0]);
    if (!work) return {};
    Call call{this, std::move(work->read)};
    if (!call.read) {
      call.read = free_or_new_copy();
      if (!is_due(key.epoch)) return {};
    }
    put(place[0], with_plain_errors([&] { return call.read(std::move(work->request)); }));
    return {};
  }

 private:
  struct Work {
    Read read;  ///< null where no copy is free
    Request request;
  };
  /// A copy of the data set in use; given back also where it threw.
  struct Call {
    const BoxProducer* producer;
    Read read;
    ~Call() {
      const std::lock_guard lock(producer->mutex_);
      if (read) producer->idle_.push_back(std::move(read));
      --producer->active_;
      producer->idle_changed_.notify_all();
    }
  };

  void wait_until_idle(std::unique_lock<std::mutex>& lock, const char* when) const {
    const auto idle = [this] { return active_ == 0; };
    if (timeout_ == std::chrono::milliseconds(0)) return idle_changed_.wait(lock, idle);
    if (idle_changed_.wait_for(lock, timeout_, idle)) return;
    throw Error(ErrorCode::timeout, "waiting " + std::string(when) + " for " +
                                        std::to_string(active_) +
                                        " calls of get_batch, or of the dataset's copy "
                                        "constructor before them, that did not return within " +
                                        std::to_string(timeout_.count()) + " ms");
  }

  /// What there is to do for a place; nothing for a batch of another epoch or behind the end.
  std::optional<Work> take_work(std::uint64_t index, std::uint64_t epoch, const void* place) const {
    const std::lock_guard lock(mutex_);
    boxes_.erase(place);
    if (epoch_ != epoch || exhausted_) return std::nullopt;
    Work work{take_free(), repeated_ ? *repeated_ : std::move(requests_[index])};
    ++due_;
    ++active_;
    return work;
  }

  /// Whether an epoch's batches are wanted still.
  bool is_due(std::uint64_t epoch) const {
    const std::lock_guard lock(mutex_);
    return epoch_ == epoch;
  }

  /// A copy that no call uses; null where there is none. With the lock.
  Read take_free() const {
    if (idle_.empty()) return nullptr;
    Read read = std::move(idle_.back());
    idle_.pop_back();
    return read;
  }

  /// Without the lock, which the consumer takes: a copy constructor may be slow.
  Read free_or_new_copy() const {
    const std::lock_guard one_at_a_time(copying_);
    {
      const std::lock_guard lock(mutex_);
      if (Read read = take_free()) return read;  // given back meanwhile
    }
    return with_plain_errors([this] { return copy_(); });
  }

  void put(const void* place, std::optional<Batch> batch) const {
    const std::lock_guard lock(mutex_);
    if (!batch) {
      exhausted_ = true;
      --due_;
      return;
    }
    boxes_.insert_or_assign(place, std::move(*batch));
  }

  std::function<Read()> copy_;
  std::chrono::milliseconds timeout_;
  std::vector<FieldSpec> fields_{{"box", DType::uint8, {}}};
  std::optional<Request> repeated_;

  mutable std::mutex copying_;  ///< taken before the other
  mutable std::mutex mutex_;
  mutable std::condition_variable idle_changed_;
  mutable std::vector<Read> idle_;
  mutable std::unordered_map<const void*, Batch> boxes_;
  mutable std::vector<Request> requests_;
  mutable std::size_t active_ = 0;  ///< calls of get_batch, copies for them included
  mutable bool exhausted_ = false;
  mutable std::uint64_t due_ = 0;  ///< batches of this epoch, also those that are being made
  std::optional<std::uint64_t> epoch_;
};

}  // namespace stoker::torch::detail
