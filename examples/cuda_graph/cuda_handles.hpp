#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <source_location>
#include <stdexcept>
#include <string>

/// @throws std::runtime_error with CUDA's words and the place of the call.
inline void check(cudaError_t status,
                  std::source_location place = std::source_location::current()) {
  if (status == cudaSuccess) return;
  throw std::runtime_error(std::string(place.file_name()) + ":" + std::to_string(place.line()) +
                           ": " + cudaGetErrorString(status) + " (" + cudaGetErrorName(status) +
                           ")");
}

/// Gives back what CUDA made.
template <auto give_back>
struct GiveBack {
  template <class T>
  void operator()(T* made) const noexcept {
    give_back(made);
  }
};

using Stream = std::unique_ptr<CUstream_st, GiveBack<cudaStreamDestroy>>;
using Event = std::unique_ptr<CUevent_st, GiveBack<cudaEventDestroy>>;
using Graph = std::unique_ptr<CUgraph_st, GiveBack<cudaGraphDestroy>>;
using GraphExec = std::unique_ptr<CUgraphExec_st, GiveBack<cudaGraphExecDestroy>>;
template <class T>
using DeviceArray = std::unique_ptr<T[], GiveBack<cudaFree>>;
template <class T>
using PinnedArray = std::unique_ptr<T[], GiveBack<cudaFreeHost>>;

/// A stream of the current device that has no order with the default stream.
inline Stream make_stream() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return Stream(stream);
}

/// A mark in a stream. Waiting for it puts the thread to sleep: the processor is the loader's.
inline Event make_event() {
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventBlockingSync));
  return Event(event);
}

template <class T>
DeviceArray<T> device_array(std::size_t count) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, count * sizeof(T)));
  return DeviceArray<T>(static_cast<T*>(memory));
}

template <class T>
PinnedArray<T> pinned_array(std::size_t count) {
  void* memory = nullptr;
  check(cudaMallocHost(&memory, count * sizeof(T)));
  return PinnedArray<T>(static_cast<T*>(memory));
}
