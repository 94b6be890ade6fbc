#pragma once

#include <c10/core/Device.h>
#include <c10/core/Event.h>

#include <cstddef>
#include <vector>

namespace examples {

/// Keeps the host at most two steps ahead of the device. Without, it asks for batches long before
/// the device needs them: it waits for them while the device has enough to do, and keeps the slots
/// of all of them. Without effect on the CPU.
class HostLead {
 public:
  explicit HostLead(c10::Device device) : device_(device) {
    if (device.is_cpu()) return;  // whose LibTorch may know no events
    for (int i = 0; i < 2; ++i) steps_.emplace_back(device.type());
  }

  /// Says that a step has been queued on the device's current stream, and waits until the step
  /// before the last one is done.
  void queued();

 private:
  c10::Device device_;
  std::vector<c10::Event> steps_;  ///< two, or none on the CPU
  std::size_t count_ = 0;
};

}  // namespace examples
