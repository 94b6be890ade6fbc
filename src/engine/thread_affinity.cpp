#include "src/engine/thread_affinity.hpp"

#include <pthread.h>
#include <sched.h>

#include <memory>

namespace stoker {
namespace {

constexpr int most_processors = 8192;  // the kernel's own limit (CONFIG_NR_CPUS on x86-64)

struct FreeSet {
  void operator()(cpu_set_t* set) const noexcept { CPU_FREE(set); }
};
using SetPtr = std::unique_ptr<cpu_set_t, FreeSet>;

std::size_t bytes() { return CPU_ALLOC_SIZE(most_processors); }

SetPtr empty_set() {
  SetPtr set(CPU_ALLOC(most_processors));
  if (set) CPU_ZERO_S(bytes(), set.get());
  return set;
}

}  // namespace

std::vector<int> usable_processors() {
  const SetPtr set = empty_set();
  std::vector<int> processors;
  if (!set || sched_getaffinity(0, bytes(), set.get()) != 0) return processors;
  for (int i = 0; i < most_processors; ++i) {
    if (CPU_ISSET_S(static_cast<std::size_t>(i), bytes(), set.get())) processors.push_back(i);
  }
  return processors;
}

bool keep_thread_on(const std::vector<int>& processors) noexcept {
  const SetPtr set = empty_set();
  if (!set) return false;
  for (const int processor : processors) {
    if (processor >= 0 && processor < most_processors) {
      CPU_SET_S(static_cast<std::size_t>(processor), bytes(), set.get());
    }
  }
  return sched_setaffinity(0, bytes(), set.get()) == 0;
}

void begin_thread(const char* name, const std::vector<int>& processors) noexcept {
  pthread_setname_np(pthread_self(), name);
  if (!processors.empty()) keep_thread_on(processors);
}

std::vector<int> leaving_one(std::vector<int> processors, int own, int num_workers) {
  constexpr std::size_t fewest = 4;
  const bool just_one_more = processors.size() == static_cast<std::size_t>(num_workers) + 1;
  if (just_one_more && processors.size() >= fewest) std::erase(processors, own);
  return processors;
}

}  // namespace stoker
