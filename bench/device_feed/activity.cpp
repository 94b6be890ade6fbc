#include "bench/device_feed/cuda_handles.hpp"
#include "bench/device_feed/cupti.hpp"
#include "bench/device_feed/cupti_error.hpp"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <stdexcept>
#include <utility>
#include <vector>

namespace stoker::bench {
namespace {

// Records only grow from version to version: what is read here lies where the newest have it.
#if CUPTI_API_VERSION >= 130000
using KernelRecord = CUpti_ActivityKernel10;
using CopyRecord = CUpti_ActivityMemcpy6;
#else
using KernelRecord = CUpti_ActivityKernel9;
using CopyRecord = CUpti_ActivityMemcpy5;
#endif

/// What CUPTI has handed over; it calls back on threads of its own and without a user's pointer.
struct Trace {
  std::mutex mutex;
  std::vector<Activity> activities;
  std::size_t dropped = 0;
};

Trace& trace() {
  static auto* const instance = new Trace;  // also there while the process exits
  return *instance;
}

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* max_records) {
  constexpr std::size_t bytes = std::size_t{1} << 20;
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(64, bytes));
  *size = *buffer == nullptr ? 0 : bytes;
  *max_records = 0;  // as many as fit
}

void add(const CUpti_Activity& record) {
  std::vector<Activity>& activities = trace().activities;
  if (record.kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
    const auto& kernel = reinterpret_cast<const KernelRecord&>(record);
    activities.push_back({Activity::Kind::kernel, kernel.name == nullptr ? "" : kernel.name,
                          kernel.streamId, kernel.start, kernel.end, 0});
  } else if (record.kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
    const auto& copy = reinterpret_cast<const CopyRecord&>(record);
    if (copy.copyKind != CUPTI_ACTIVITY_MEMCPY_KIND_HTOD) return;
    activities.push_back(
        {Activity::Kind::copy_to_device, "", copy.streamId, copy.start, copy.end, copy.bytes});
  }
}

void CUPTIAPI take_buffer(CUcontext context, std::uint32_t stream, std::uint8_t* buffer,
                          std::size_t /*size*/, std::size_t used) {
  const std::lock_guard lock(trace().mutex);
  CUpti_Activity* record = nullptr;
  while (used > 0 && cuptiActivityGetNextRecord(buffer, used, &record) == CUPTI_SUCCESS) {
    add(*record);
  }
  std::size_t dropped = 0;
  if (cuptiActivityGetNumDroppedRecords(context, stream, &dropped) == CUPTI_SUCCESS) {
    trace().dropped += dropped;
  }
  std::free(buffer);
}

class Recording {
 public:
  Recording() {
    trace().activities.clear();
    trace().dropped = 0;
    check(cuptiActivityRegisterCallbacks(&give_buffer, &take_buffer));
    check(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
    check(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY));
  }
  ~Recording() {
    cuptiActivityDisable(CUPTI_ACTIVITY_KIND_MEMCPY);
    cuptiActivityDisable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  std::vector<Activity> take() const {
    check(cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED));
    const std::lock_guard lock(trace().mutex);
    if (trace().dropped > 0) throw std::runtime_error("CUPTI dropped records: the trace has holes");
    return std::move(trace().activities);
  }
};

}  // namespace

std::optional<std::vector<Activity>> trace_activity(const std::function<void()>& work) {
  const Recording recording;
  work();
  check(cudaDeviceSynchronize());
  std::vector<Activity> activities = recording.take();
  std::erase_if(activities, [](const Activity& activity) { return activity.end == 0; });
  std::sort(activities.begin(), activities.end(),
            [](const Activity& a, const Activity& b) { return a.begin < b.begin; });
  return activities;
}

}  // namespace stoker::bench
