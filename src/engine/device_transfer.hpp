#pragma once

#include "src/engine/slot.hpp"
#include <stoker/device/device.hpp>
#include <stoker/engine/device_stage.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace stoker {

/// Device memory that is freed with its owner.
class DeviceMemory {
 public:
  /// @throws Error(out_of_memory)
  DeviceMemory(DevicePtr device, std::size_t bytes);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  std::byte* data() const noexcept { return memory_; }

 private:
  DevicePtr device_;
  std::size_t bytes_;
  std::byte* memory_;
};

/// What brings a batch from a host slot to a device slot: copies, and the producer's device stage
/// where it has one. What the stage reads lies in one place for all batches: the stream's order
/// keeps one batch's from the next one's. One thread at a time.
class DeviceTransfer {
 public:
  /// Copies the stage's constants to the device and waits for that.
  /// @throws Error(out_of_memory), Error(device_error)
  DeviceTransfer(DevicePtr device, const SlotLayout& host, const SlotLayout& target,
                 std::shared_ptr<const DeviceStage> stage);

  /// Queues a batch's copies on the stream; returns the bytes that cross the bus.
  std::size_t copy(const Slot& from, const Slot& to, std::size_t count, StreamRef stream) const;
  /// Queues what is done behind them, and needs the host slot no more.
  void finish(const Slot& to, std::size_t count, StreamRef stream) const;

 private:
  std::byte* staged(std::size_t field) const noexcept;
  std::size_t bytes_of(const Slot& from, std::size_t field, std::size_t count) const;
  std::size_t copy_all(const Slot& from, const Slot& to, std::size_t count, StreamRef stream) const;
  std::size_t copy_for_stage(const Slot& from, const Slot& to, std::size_t count,
                             StreamRef stream) const;
  void upload_constants();

  DevicePtr device_;
  const SlotLayout& host_;
  const SlotLayout& target_;
  std::shared_ptr<const DeviceStage> stage_;
  std::vector<std::optional<std::size_t>> output_of_;  ///< of a host field that is only copied
  std::optional<DeviceMemory> staging_, constants_;
};

}  // namespace stoker
