#include "src/device/resize_kernel.hpp"

#include "src/device/cuda_handles.hpp"
#include "src/device/resize_on_host.hpp"
#include "tests/device/random_resizes.hpp"
#include "tests/gpu/gpu_test.hpp"

#include <span>

namespace stoker::testing {
namespace {

class ResizeKernelTest : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (!IsSkipped()) context_ = std::make_shared<const CudaContext>(0);
  }
  template <class T>
  DeviceBuffer upload(const std::vector<T>& values) const {
    const std::span bytes = std::as_bytes(std::span(values));
    DeviceBuffer buffer(context_, bytes.size());
    const DeviceGuard guard(*context_);
    expect_cuda(cudaMemcpy(buffer.data(), bytes.data(), bytes.size(), cudaMemcpyHostToDevice));
    return buffer;
  }

  std::vector<std::byte> resized_on_device(const ResizeCase& batch) const {
    const DeviceBuffer pixels = upload(batch.pixels), crops = upload(batch.crops),
                       tables = upload(batch.tables);
    const DeviceBuffer out(context_, batch.out_bytes());
    ResizeTask task = batch.task(out.data());
    task.pixels = reinterpret_cast<const std::uint8_t*>(pixels.data());
    task.crops = reinterpret_cast<const ResizeCrop*>(crops.data());
    task.tables = tables.data();
    const DeviceGuard guard(*context_);
    const Stream stream(context_, Stream::Priority::normal);
    // Where the kernel writes nothing, the bytes are no result's.
    expect_cuda(cudaMemsetAsync(out.data(), 0xEE, batch.out_bytes(), stream.handle()));
    expect_cuda(launch_resize(task, stream.handle()));
    return download<std::byte>(out.data(), batch.out_bytes(), stream.ref());
  }

  void expect_hosts_bits(const ResizeShape& shape, int rounds) {
    for (int round = 0; round < rounds; ++round) {
      const ResizeCase batch = random_.next(shape);
      std::vector<std::byte> expected(batch.out_bytes());
      resize_on_host(batch.task(expected.data()));
      ASSERT_EQ(resized_on_device(batch), expected)
          << shape.count << "x" << shape.height << "x" << shape.width << ", " << shape.element_bytes
          << " bytes, planar " << shape.planar << ", round " << round;
    }
  }

  CudaContextPtr context_;
  RandomResizes random_{21};
};

TEST_F(ResizeKernelTest, GivesTheHostsBitsForEverySize) {
  // One pixel, one row, one column, around a tile's edges, and usual sizes.
  for (const auto& [height, width] : std::initializer_list<std::pair<unsigned, unsigned>>{
           {1, 1}, {1, 4097}, {4097, 1}, {16, 32}, {17, 33}, {15, 31}, {33, 31}, {32, 64}}) {
    expect_hosts_bits({3, height, width}, 4);
  }
  expect_hosts_bits({2, 224, 224}, 1);
}

TEST_F(ResizeKernelTest, GivesTheHostsBitsForEveryElementAndLayout) {
  for (const std::uint32_t bytes : {1U, 2U, 4U}) {
    for (const bool planar : {true, false}) expect_hosts_bits({5, 33, 31, bytes, planar}, 5);
  }
}

TEST_F(ResizeKernelTest, GivesTheHostsBitsForAnyNumberOfCrops) {
  expect_hosts_bits({0, 7, 9}, 1);
  expect_hosts_bits({1, 7, 9}, 20);
  expect_hosts_bits({1000, 7, 9, 2}, 2);
}

TEST_F(ResizeKernelTest, RefusesElementsThatItDoesNotKnow) {
  ResizeCase batch = random_.next({1, 2, 2});
  batch.shape.element_bytes = 3;
  const DeviceGuard guard(*context_);
  EXPECT_EQ(launch_resize(batch.task(nullptr), nullptr), cudaErrorInvalidValue);
}

}  // namespace
}  // namespace stoker::testing
