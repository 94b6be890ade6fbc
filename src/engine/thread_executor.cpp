#include "src/core/bounded_queue.hpp"
#include "src/engine/executor.hpp"
#include "src/engine/thread_affinity.hpp"

#include <thread>
#include <vector>

namespace stoker {
namespace {

class ThreadExecutor final : public Executor {
 public:
  ThreadExecutor(int num_workers, const std::vector<int>& processors) {
    for (int i = 0; i < num_workers; ++i) {
      threads_.emplace_back([this, processors] {
        begin_thread("stoker-work", processors);
        while (const std::optional<Task*> task = queue_.pop()) (*task)->run();
      });
    }
  }
  ~ThreadExecutor() override { queue_.close(); }

  int num_workers() const noexcept override { return static_cast<int>(threads_.size()); }
  void submit(Task& task) override { queue_.push(&task); }

 private:
  static constexpr std::size_t capacity = 4096;
  BoundedQueue<Task*> queue_{capacity};
  std::vector<std::jthread> threads_;
};

}  // namespace

std::unique_ptr<Executor> make_thread_executor(int num_workers,
                                               const std::vector<int>& processors) {
  return std::make_unique<ThreadExecutor>(num_workers, processors);
}

std::unique_ptr<Executor> make_executor(int num_workers, const std::vector<int>& processors) {
  if (auto executor = make_tbb_executor(num_workers, processors)) return executor;
  return make_thread_executor(num_workers, processors);
}

}  // namespace stoker
