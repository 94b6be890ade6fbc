#include "src/device/finish_kernel.hpp"

#include "src/device/cuda_handles.hpp"
#include "src/device/finish_on_host.hpp"
#include "tests/gpu/gpu_test.hpp"

#include <random>

namespace stoker::testing {
namespace {

struct Case {
  std::uint32_t count, height, width;
};

class FinishKernelTest : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (!IsSkipped()) context_ = std::make_shared<const CudaContext>(0);
  }
  DeviceBuffer upload(const std::vector<std::byte>& bytes) const {
    DeviceBuffer buffer(context_, bytes.size());
    const DeviceGuard guard(*context_);
    expect_cuda(cudaMemcpy(buffer.data(), bytes.data(), bytes.size(), cudaMemcpyHostToDevice));
    return buffer;
  }

  CudaContextPtr context_;
};

std::vector<std::byte> noise(std::size_t bytes, std::mt19937& random, unsigned below = 256) {
  std::vector<std::byte> values(bytes);
  for (std::byte& value : values) value = static_cast<std::byte>(random() % below);
  return values;
}

TEST_F(FinishKernelTest, GivesTheHostsBitsForEverySizeTypeAndLayout) {
  std::mt19937 random(3);
  for (const Case& c : {Case{1, 1, 1}, {3, 5, 7}, {2, 33, 31}, {5, 224, 224}, {1, 1, 4097}}) {
    for (const std::uint32_t bytes : {1U, 2U, 4U}) {
      for (const bool planar : {true, false}) {
        const std::size_t values = std::size_t{3} * c.count * c.height * c.width;
        const auto pixels = noise(values, random), states = noise(c.count, random, 3);
        const auto tables = noise(std::size_t{3} * 256 * bytes, random);
        std::vector<std::byte> expected(values * bytes);
        FinishTask task{{tables.data(), expected.data(), c.count, c.height, c.width, bytes, planar},
                        reinterpret_cast<const std::uint8_t*>(pixels.data()),
                        reinterpret_cast<const ImageState*>(states.data())};
        finish_on_host(task);
        const DeviceBuffer device_pixels = upload(pixels), device_states = upload(states),
                           device_tables = upload(tables);
        const DeviceBuffer out(context_, expected.size());
        task.pixels = reinterpret_cast<const std::uint8_t*>(device_pixels.data());
        task.states = reinterpret_cast<const ImageState*>(device_states.data());
        task.tables = device_tables.data();
        task.out = out.data();
        const DeviceGuard guard(*context_);
        const Stream stream(context_, Stream::Priority::normal);
        expect_cuda(launch_finish(task, stream.handle()));
        EXPECT_EQ(download<std::byte>(out.data(), expected.size(), stream.ref()), expected)
            << c.count << "x" << c.height << "x" << c.width << ", " << bytes << " bytes, planar "
            << planar;
      }
    }
  }
}

}  // namespace
}  // namespace stoker::testing
