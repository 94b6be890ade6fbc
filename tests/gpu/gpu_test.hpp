#pragma once

#include "tests/error_of.hpp"
#include <stoker/device/cuda.hpp>

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

namespace stoker::testing {

/// A test that needs a CUDA device. Without one it is skipped.
class GpuTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (cuda_device_count() == 0) GTEST_SKIP() << "this machine has no CUDA device";
  }
};

inline void expect_cuda(cudaError_t status) {
  EXPECT_EQ(status, cudaSuccess) << cudaGetErrorName(status);
}

inline cudaStream_t stream_of(StreamRef stream) {
  return reinterpret_cast<cudaStream_t>(stream.handle);
}

/// Copies device memory to the host behind the stream's work, and waits for it.
template <class T>
std::vector<T> download(const void* device, std::size_t count, StreamRef stream) {
  std::vector<T> values(count);
  expect_cuda(cudaMemcpyAsync(values.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost,
                              stream_of(stream)));
  expect_cuda(cudaStreamSynchronize(stream_of(stream)));
  return values;
}

}  // namespace stoker::testing
