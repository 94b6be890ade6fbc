// Memory that cannot be had: an error that says how much and what limits it, nothing is lost, and
// what asks for less works.
#include "src/device/cuda_handles.hpp"
#include "tests/engine/fake_producer.hpp"
#include "tests/gpu/gpu_test.hpp"
#include <stoker/engine/loader.hpp>

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>

namespace stoker::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr std::size_t mebibyte = std::size_t{1} << 20;

/// Memory that this process has mapped.
std::size_t mapped_memory() {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

/// Lets this process map no more than so many bytes, while it lives.
class MappingLimit {
 public:
  explicit MappingLimit(std::size_t bytes) {
    ::getrlimit(RLIMIT_AS, &before_);
    const rlimit lower{bytes, before_.rlim_max};
    EXPECT_EQ(::setrlimit(RLIMIT_AS, &lower), 0);
  }
  ~MappingLimit() { ::setrlimit(RLIMIT_AS, &before_); }
  MappingLimit(const MappingLimit&) = delete;
  MappingLimit& operator=(const MappingLimit&) = delete;

 private:
  rlimit before_{};
};

class CudaMemoryTest : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (IsSkipped()) return;
    options_.device = cuda(0);
    options_.batch_size = 8;
    options_.num_workers = 2;
    expect_loader_works();  // the driver takes what it needs for itself
  }

  std::shared_ptr<FakeProducer> samples_of(std::size_t bytes) const {
    return std::make_shared<FakeProducer>(32, true, static_cast<std::int64_t>(bytes));
  }
  std::string error_of_loader(std::size_t sample_bytes) const {
    return error_of([&] { Loader(samples_of(sample_bytes), options_); }, ErrorCode::out_of_memory);
  }
  void expect_loader_works() const {
    Loader loader(samples_of(100), options_);
    std::size_t batches = 0;
    for (const Batch& batch : loader.epoch(0, true)) batches += batch.size() == 8;
    EXPECT_EQ(batches, 4U);
  }
  static std::size_t free_memory() {
    std::size_t free = 0, total = 0;
    expect_cuda(cudaMemGetInfo(&free, &total));
    return free;
  }

  LoaderOptions options_;
};

TEST_F(CudaMemoryTest, IsRefusedWithHowMuchWasWantedAndHowMuchThereIs) {
  const std::size_t much = std::size_t{1} << 46;
  Device& device = *options_.device;
  EXPECT_THAT(error_of([&] { device.allocate_device(much); }, ErrorCode::out_of_memory),
              AllOf(HasSubstr("70368744.2 MB"), HasSubstr("free")));
  EXPECT_THAT(error_of([&] { device.allocate_host(much); }, ErrorCode::out_of_memory),
              AllOf(HasSubstr("70368744.2 MB of host memory could not be pinned"),
                    HasSubstr("(ulimit -l)"), HasSubstr("the machine has")));
  expect_loader_works();
}

TEST_F(CudaMemoryTest, IsNotPinnedForALoaderBeyondWhatTheMachineHas) {
  EXPECT_THAT(error_of_loader(std::size_t{1} << 40),
              AllOf(HasSubstr("MB of memory that are available"), HasSubstr("prefetch")));
  expect_loader_works();
}

TEST_F(CudaMemoryTest, IsGivenBackWhereALimitStopsARingHalfWay) {
  const std::size_t before = mapped_memory();
  {
    const MappingLimit limit(before + 1024 * mebibyte);
    EXPECT_THAT(error_of_loader(64 * mebibyte),
                AllOf(HasSubstr("a ring of 5 slots of "), HasSubstr("in host memory"),
                      HasSubstr("could not be pinned"), HasSubstr("kB (ulimit -v)")));
  }
  EXPECT_LT(mapped_memory(), before + 512 * mebibyte) << "a slot was not given back";
  expect_loader_works();
}

TEST_F(CudaMemoryTest, OfTheDeviceIsGivenBackWhereARingFindsTooLittle) {
  const auto context = std::make_shared<const CudaContext>(0);
  const DeviceGuard guard(*context);
  const DeviceBuffer others(context, free_memory() - 1024 * mebibyte);
  const std::size_t before = free_memory();
  options_.prefetch = 1;
  options_.device_prefetch = 4;
  EXPECT_THAT(error_of_loader(64 * mebibyte),
              AllOf(HasSubstr("a ring of 4 slots of "), HasSubstr("in device memory"),
                    HasSubstr("of memory of CUDA device 0 are wanted"), HasSubstr("are free")));
  EXPECT_GT(free_memory() + 256 * mebibyte, before) << "a slot was not given back";
  expect_loader_works();
}

}  // namespace
}  // namespace stoker::testing
