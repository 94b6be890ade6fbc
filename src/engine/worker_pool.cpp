#include <stoker/engine/worker_pool.hpp>

#include "src/engine/available_processors.hpp"
#include "src/engine/executor.hpp"
#include "src/engine/fair_executor.hpp"
#include "src/engine/thread_affinity.hpp"
#include <stoker/core/error.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>

namespace stoker {
namespace {

/// Processors of a cgroup's quota ("150000 100000" in version 2), rounded up; a large number where
/// there is no quota.
int quota(double limit, double period) {
  constexpr int none = 1 << 20;
  if (!(limit > 0) || !(period > 0)) return none;
  return std::max(1, static_cast<int>(std::min<double>(none, std::ceil(limit / period))));
}

double read_number(const std::string& path) {
  std::ifstream file(path);
  double number = 0;
  file >> number;  // "max" gives 0: no quota
  return number;
}

int quota_v2(const std::string& folder) {
  std::ifstream file(folder + "/cpu.max");
  double limit = 0, period = 0;
  file >> limit >> period;
  return quota(limit, period);
}

int quota_v1(const std::string& folder) {
  return quota(read_number(folder + "/cpu.cfs_quota_us"),
               read_number(folder + "/cpu.cfs_period_us"));
}

int affinity() {
  const auto usable = usable_processors();
  return usable.empty() ? static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN))
                        : static_cast<int>(usable.size());
}

void check_usable(const std::vector<int>& processors) {
  const std::vector<int> usable = usable_processors();
  for (const int processor : processors) {
    if (std::ranges::find(usable, processor) != usable.end()) continue;
    throw Error(ErrorCode::invalid_argument,
                fmt::format("processor {} is none that this process may use", processor));
  }
}

}  // namespace

/// The tightest quota from this process's own group up to the root: a parent's quota binds too.
int cgroup_processors(const std::string& proc_self_cgroup, const std::string& mount) {
  int processors = std::min(quota_v2(mount), quota_v1(mount + "/cpu"));
  std::ifstream groups(proc_self_cgroup);
  for (std::string line; std::getline(groups, line);) {
    const std::size_t colon = line.find(':', line.find(':') + 1);
    if (colon == std::string::npos) continue;
    for (std::string path = line.substr(colon + 1); path.size() > 1 && path[0] == '/';
         path.resize(path.find_last_of('/'))) {
      processors = std::min({processors, quota_v2(mount + path), quota_v1(mount + "/cpu" + path)});
    }
  }
  return processors;
}

int available_processors() {
  return std::max(1,
                  std::min(affinity(), cgroup_processors("/proc/self/cgroup", "/sys/fs/cgroup")));
}

WorkerPool::WorkerPool(int num_workers, const WorkerPoolOptions& options)
    : processors_(options.processors) {
  if (num_workers < 1) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("a worker pool needs at least 1 worker, not {}", num_workers));
  }
  check_usable(options.processors);
  const auto make = options.own_threads ? make_thread_executor : make_executor;
  executor_ = std::make_unique<FairExecutor>(make(num_workers, options.processors));
}

WorkerPool::~WorkerPool() = default;

int WorkerPool::num_workers() const noexcept { return executor_->num_workers(); }
std::unique_ptr<Executor> WorkerPool::share() { return executor_->share(); }

}  // namespace stoker
