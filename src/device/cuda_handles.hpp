#pragma once

#include "src/device/cuda_context.hpp"
#include <stoker/device/device.hpp>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>

namespace stoker {

// Owners of what CUDA makes. Each is made on a context that it keeps alive, can be moved, owns
// nothing when it was moved from or released, and is quiet in its destructor while the process
// exits. None synchronises unless it says so.

using CudaContextPtr = std::shared_ptr<const CudaContext>;

// What gives each back, with its context current; nothing in a process that was forked off.
struct StreamDeleter {
  CudaContextPtr context;
  /// Waits for the stream's work.
  void operator()(cudaStream_t stream) const noexcept;
};
struct EventDeleter {
  CudaContextPtr context;
  void operator()(cudaEvent_t event) const noexcept;
};
struct PinnedDeleter {
  CudaContextPtr context;
  std::size_t bytes = 0;
  void operator()(std::byte* memory) const noexcept;
};
struct DeviceMemoryDeleter {
  CudaContextPtr context;
  /// Waits for the device's work, as cudaFree does.
  void operator()(std::byte* memory) const noexcept;
};

/// A stream of work that does not wait for the default stream.
class Stream {
 public:
  enum class Priority { normal, high };

  Stream(CudaContextPtr context, Priority priority);

  cudaStream_t handle() const noexcept { return handle_.get(); }
  StreamRef ref() const noexcept { return {reinterpret_cast<std::uintptr_t>(handle())}; }
  /// Hands the stream to the caller, who gives it back with a StreamDeleter.
  cudaStream_t release() noexcept { return handle_.release(); }

 private:
  std::unique_ptr<CUstream_st, StreamDeleter> handle_;
};

/// A mark in a stream. Waiting for it on the host puts the thread to sleep.
class Event {
 public:
  enum class Timing { off, on };

  explicit Event(CudaContextPtr context, Timing timing = Timing::off);

  cudaEvent_t handle() const noexcept { return handle_.get(); }
  EventRef ref() const noexcept { return {reinterpret_cast<std::uintptr_t>(handle())}; }
  cudaEvent_t release() noexcept { return handle_.release(); }

 private:
  std::unique_ptr<CUevent_st, EventDeleter> handle_;
};

/// Host memory that the device's copy engines read by themselves: mapped, on the device's NUMA node
/// where the system tells one, and locked in memory.
class PinnedBuffer {
 public:
  /// @throws Error(out_of_memory) that says how much was wanted and which limits there are.
  PinnedBuffer(CudaContextPtr context, std::size_t bytes);

  std::byte* data() const noexcept { return memory_.get(); }
  std::size_t size() const noexcept { return memory_.get_deleter().bytes; }
  std::byte* release() noexcept { return memory_.release(); }

 private:
  std::unique_ptr<std::byte, PinnedDeleter> memory_;
};

/// Device memory.
class DeviceBuffer {
 public:
  /// @throws Error(out_of_memory) that says how much was wanted and how much is free.
  DeviceBuffer(CudaContextPtr context, std::size_t bytes);

  std::byte* data() const noexcept { return memory_.get(); }
  std::size_t size() const noexcept { return bytes_; }
  std::byte* release() noexcept { return memory_.release(); }

 private:
  std::unique_ptr<std::byte, DeviceMemoryDeleter> memory_;
  std::size_t bytes_;
};

}  // namespace stoker
