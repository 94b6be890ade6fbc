#include "src/engine/fair_executor.hpp"

#include "src/core/bounded_queue.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <utility>
#include <vector>

namespace stoker {
namespace {

constexpr std::size_t queue_capacity = 4096;

/// A user's tasks that wait, and how long those ran that do not.
struct User {
  BoundedQueue<Task*> waiting{queue_capacity};
  std::atomic<std::uint64_t> unfinished{0};  ///< waiting or running
  /// Of tasks that have run, and of running ones what is expected.
  std::atomic<std::uint64_t> nanoseconds{0};
  std::atomic<std::uint64_t> expected{0};  ///< nanoseconds of a task, as the last ones took

  void expect(std::uint64_t took) noexcept {
    const std::uint64_t before = expected.load(std::memory_order_relaxed);
    expected.store(before - before / 8 + took / 8, std::memory_order_relaxed);
  }
};
using UserPtr = std::shared_ptr<User>;

thread_local bool runs_task = false;

std::uint64_t nanoseconds_since(std::chrono::steady_clock::time_point start) {
  return static_cast<std::uint64_t>(
      std::chrono::nanoseconds(std::chrono::steady_clock::now() - start).count());
}

}  // namespace

/// As a task it runs one of the users' tasks: it is submitted once for each of theirs.
struct FairExecutor::State final : Task {
  explicit State(std::unique_ptr<Executor> workers) : executor(std::move(workers)) {}

  void run() noexcept override;
  UserPtr neediest();
  void reach(std::uint64_t time) {
    std::uint64_t before = reached.load(std::memory_order_relaxed);
    while (before < time &&
           !reached.compare_exchange_weak(before, time, std::memory_order_relaxed)) {
    }
  }
  void catch_up(User& user);

  // One worker may take the task that another has looked at, so there may be none for a moment.
  std::pair<UserPtr, Task*> take() {
    for (;;) {
      const UserPtr user = neediest();
      if (!user) continue;
      if (const std::optional<Task*> task = user->waiting.try_pop()) {
        reach(user->nanoseconds.load(std::memory_order_relaxed));
        return {user, *task};
      }
    }
  }

  std::shared_mutex mutex;
  std::vector<UserPtr> users;
  std::atomic<std::uint64_t> reached{0};  ///< the largest time at which a user got a worker
  std::unique_ptr<Executor> executor;     // first to go: its workers use the rest
};

namespace {

/// One user's way in.
template <class State>
class Share final : public Executor {
 public:
  explicit Share(std::shared_ptr<State> state) : state_(std::move(state)) {
    const std::lock_guard lock(state_->mutex);
    state_->users.push_back(user_);
  }
  ~Share() override {
    const std::lock_guard lock(state_->mutex);
    std::erase(state_->users, user_);
  }
  Share(const Share&) = delete;
  Share& operator=(const Share&) = delete;

  int num_workers() const noexcept override { return state_->executor->num_workers(); }
  void submit(Task& task) override {
    if (user_->unfinished.fetch_add(1, std::memory_order_relaxed) == 0) state_->catch_up(*user_);
    user_->waiting.push(&task);
    state_->executor->submit(*state_);
  }

 private:
  std::shared_ptr<State> state_;
  UserPtr user_ = std::make_shared<User>();
};

}  // namespace

UserPtr FairExecutor::State::neediest() {
  const std::shared_lock lock(mutex);
  UserPtr found;
  std::uint64_t least = 0;
  for (const UserPtr& user : users) {
    const std::uint64_t time = user->nanoseconds.load(std::memory_order_relaxed);
    if (user->waiting.size() == 0 || (found && time >= least)) continue;
    found = user;
    least = time;
  }
  return found;
}

/// Lets a user that had no work begin where the last one was that got a worker.
void FairExecutor::State::catch_up(User& user) {
  const std::uint64_t now = reached.load(std::memory_order_relaxed);
  std::uint64_t own = user.nanoseconds.load(std::memory_order_relaxed);
  while (own < now &&
         !user.nanoseconds.compare_exchange_weak(own, now, std::memory_order_relaxed)) {
  }
}

/// The task may be what its user waits for before it goes: nothing of it is touched behind.
void FairExecutor::State::run() noexcept {
  const auto [user, task] = take();
  const std::uint64_t expected = user->expected.load(std::memory_order_relaxed);
  user->nanoseconds.fetch_add(expected, std::memory_order_relaxed);
  const auto start = std::chrono::steady_clock::now();
  const bool before = std::exchange(runs_task, true);
  task->run();
  runs_task = before;
  const std::uint64_t took = nanoseconds_since(start);
  user->nanoseconds.fetch_add(took - expected, std::memory_order_relaxed);
  user->expect(took);
  user->unfinished.fetch_sub(1, std::memory_order_relaxed);
}

bool in_task() noexcept { return runs_task; }

FairExecutor::FairExecutor(std::unique_ptr<Executor> executor)
    : state_(std::make_shared<State>(std::move(executor))) {}
FairExecutor::~FairExecutor() = default;

int FairExecutor::num_workers() const noexcept { return state_->executor->num_workers(); }

std::unique_ptr<Executor> FairExecutor::share() { return std::make_unique<Share<State>>(state_); }

}  // namespace stoker
