#pragma once

#include "src/device/cuda_context.hpp"
#include <stoker/device/device.hpp>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <utility>

namespace stoker {

// Owners of what CUDA makes. Each is made on a context that it keeps alive, can be moved, leaves
// nothing behind when it is moved from or released, and is quiet in its destructor while the
// process exits. None synchronises unless it says so.

using CudaContextPtr = std::shared_ptr<const CudaContext>;

/// A stream of work that does not wait for the default stream.
class Stream {
 public:
  enum class Priority { normal, high };

  Stream(CudaContextPtr context, Priority priority);
  ~Stream() { reset(); }
  Stream(Stream&& other) noexcept
      : context_(std::move(other.context_)), handle_(std::exchange(other.handle_, nullptr)) {}
  Stream& operator=(Stream&& other) noexcept;

  cudaStream_t handle() const noexcept { return handle_; }
  StreamRef ref() const noexcept { return {reinterpret_cast<std::uintptr_t>(handle_)}; }
  /// Hands the stream to the caller, who destroys it.
  cudaStream_t release() noexcept { return std::exchange(handle_, nullptr); }

 private:
  void reset() noexcept;

  CudaContextPtr context_;
  cudaStream_t handle_ = nullptr;
};

/// A mark in a stream. Waiting for it on the host puts the thread to sleep.
class Event {
 public:
  enum class Timing { off, on };

  explicit Event(CudaContextPtr context, Timing timing = Timing::off);
  ~Event() { reset(); }
  Event(Event&& other) noexcept
      : context_(std::move(other.context_)), handle_(std::exchange(other.handle_, nullptr)) {}
  Event& operator=(Event&& other) noexcept;

  cudaEvent_t handle() const noexcept { return handle_; }
  EventRef ref() const noexcept { return {reinterpret_cast<std::uintptr_t>(handle_)}; }
  cudaEvent_t release() noexcept { return std::exchange(handle_, nullptr); }

 private:
  void reset() noexcept;

  CudaContextPtr context_;
  cudaEvent_t handle_ = nullptr;
};

/// Host memory that the device's copy engines read by themselves: mapped, on the device's NUMA node
/// where the system tells one, and locked in memory.
class PinnedBuffer {
 public:
  /// @throws Error(out_of_memory) that says how much was wanted and which limits there are.
  PinnedBuffer(CudaContextPtr context, std::size_t bytes);
  ~PinnedBuffer() { reset(); }
  PinnedBuffer(PinnedBuffer&& other) noexcept
      : context_(std::move(other.context_)),
        memory_(std::exchange(other.memory_, nullptr)),
        bytes_(other.bytes_) {}
  PinnedBuffer& operator=(PinnedBuffer&& other) noexcept;

  std::byte* data() const noexcept { return memory_; }
  std::size_t size() const noexcept { return bytes_; }
  std::byte* release() noexcept { return std::exchange(memory_, nullptr); }
  /// Takes memory back that was released.
  static PinnedBuffer adopt(CudaContextPtr context, std::byte* memory, std::size_t bytes) noexcept;

 private:
  PinnedBuffer() = default;
  void reset() noexcept;

  CudaContextPtr context_;
  std::byte* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Device memory. Freeing it waits for the device's work, as cudaFree does.
class DeviceBuffer {
 public:
  /// @throws Error(out_of_memory) that says how much was wanted and how much is free.
  DeviceBuffer(CudaContextPtr context, std::size_t bytes);
  ~DeviceBuffer() { reset(); }
  DeviceBuffer(DeviceBuffer&& other) noexcept
      : context_(std::move(other.context_)),
        memory_(std::exchange(other.memory_, nullptr)),
        bytes_(other.bytes_) {}
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept;

  std::byte* data() const noexcept { return memory_; }
  std::size_t size() const noexcept { return bytes_; }
  std::byte* release() noexcept { return std::exchange(memory_, nullptr); }

 private:
  void reset() noexcept;

  CudaContextPtr context_;
  std::byte* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

// What `release` handed out, given back.
void destroy(const CudaContext& context, cudaStream_t stream) noexcept;
void destroy(const CudaContext& context, cudaEvent_t event) noexcept;
void free_device_memory(const CudaContext& context, std::byte* memory) noexcept;

}  // namespace stoker
