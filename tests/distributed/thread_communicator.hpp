#pragma once

#include <stoker/core/error.hpp>
#include <stoker/distributed/communicator.hpp>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace stoker::test {

/// Ranks that are threads of this process. A rank that leaves (its function returned or threw)
/// while others wait for it gives them Error(invalid_state) instead of a test that hangs.
class ThreadGroup {
 public:
  explicit ThreadGroup(std::uint64_t world_size) : world_size_(world_size), sent_(world_size) {}

  std::uint64_t world_size() const { return world_size_; }

  /// Runs `rank_main` once a rank, each on a thread of its own. Returns what each rank threw; null
  /// where it returned.
  std::vector<std::exception_ptr> run(const std::function<void(Communicator&)>& rank_main);

 private:
  class Member final : public Communicator {
   public:
    Member(ThreadGroup& group, std::uint64_t rank) : group_(group), rank_(rank) {}
    std::uint64_t rank() const override { return rank_; }
    std::uint64_t world_size() const override { return group_.world_size_; }
    std::vector<std::string> all_gather(const std::string& mine) override {
      return group_.gather(rank_, mine);
    }

   private:
    ThreadGroup& group_;
    std::uint64_t rank_;
  };

  std::vector<std::string> gather(std::uint64_t rank, const std::string& mine) {
    std::unique_lock lock(mutex_);
    sent_[rank] = mine;
    const std::uint64_t round = round_;
    if (++arrived_ == world_size_) finish_round();
    changed_.wait(lock, [&] { return round_ != round || left_ > 0; });
    if (round_ == round) throw Error(ErrorCode::invalid_state, "another rank has left");
    return received_;
  }

  /// `received_` stays as it is until all ranks are in the next round, so each can copy it.
  void finish_round() {
    received_ = sent_;
    arrived_ = 0;
    ++round_;
    changed_.notify_all();
  }

  void leave() {
    const std::lock_guard lock(mutex_);
    ++left_;
    changed_.notify_all();
  }

  const std::uint64_t world_size_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> sent_;
  std::vector<std::string> received_;
  std::uint64_t arrived_ = 0;
  std::uint64_t round_ = 0;
  std::uint64_t left_ = 0;
};

inline std::vector<std::exception_ptr> ThreadGroup::run(
    const std::function<void(Communicator&)>& rank_main) {
  arrived_ = left_ = 0;
  std::vector<std::exception_ptr> thrown(world_size_);
  std::vector<std::thread> threads;
  for (std::uint64_t rank = 0; rank < world_size_; ++rank) {
    threads.emplace_back([this, rank, &rank_main, &thrown] {
      Member member(*this, rank);
      try {
        rank_main(member);
      } catch (...) {
        thrown[rank] = std::current_exception();
      }
      leave();
    });
  }
  for (std::thread& thread : threads) thread.join();
  return thrown;
}

/// The code and message of an Error that was thrown; "" where nothing was.
inline std::string message_of(const std::exception_ptr& thrown) {
  if (!thrown) return "";
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace stoker::test
