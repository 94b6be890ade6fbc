#include "host_lead.hpp"

#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/version.h>

#include <thread>

namespace examples {
namespace {

void wait_for(const c10::Event& event) {
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4)
  event.synchronize();
#else
  while (!event.query()) std::this_thread::yield();
#endif
}

}  // namespace

void HostLead::queued() {
  if (device_.is_cpu()) return;
  const c10::impl::VirtualGuardImpl guard(device_.type());
  steps_[count_ % 2].record(guard.getStream(device_));
  ++count_;
  if (count_ >= 2) wait_for(steps_[count_ % 2]);
}

}  // namespace examples
