// The loader on a CUDA device: whatever the streams do, each batch is what the oracle says.
#include "src/engine/thread_affinity.hpp"
#include "tests/engine/fake_producer.hpp"
#include "tests/engine/oracle.hpp"
#include "tests/gpu/gpu_test.hpp"
#include "tests/gpu/kernels.hpp"
#include <stoker/engine/loader.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace stoker::testing {
namespace {

class CudaLoaderTest : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (IsSkipped()) return;
    device_ = cuda(cuda_device_count() - 1);
    options_.device = device_;
    options_.stream = device_->create_stream();
    options_.batch_size = 8;
    options_.num_workers = 3;
    options_.shuffle = true;
  }
  void TearDown() override {
    if (device_) device_->destroy_stream(options_.stream);
  }

  /// What the batch holds on the device, copied back on a stream of the consumer's.
  ExpectedBatch on_device(const Batch& batch, StreamRef stream) const {
    ExpectedBatch content;
    content.indices.assign(batch.indices().begin(), batch.indices().end());
    content.samples = download<FakeSample>(batch["sample"].data, batch.size(), stream);
    return content;
  }

  DevicePtr device_;
  LoaderOptions options_;
};

TEST_F(CudaLoaderTest, DeliversWhatTheOracleSays) {
  for (const int num_workers : {0, 1, 4}) {
    for (const std::size_t device_prefetch : {2, 3}) {
      options_.num_workers = num_workers;
      options_.device_prefetch = device_prefetch;
      Loader loader(std::make_shared<FakeProducer>(100), options_);
      for (std::uint64_t epoch = 0; epoch < 3; ++epoch) {
        const auto expected = oracle(100, options_, epoch);
        std::size_t number = 0;
        for (const Batch& batch : loader.epoch(epoch)) {
          EXPECT_EQ(batch["sample"].device, device_->id());
          EXPECT_EQ(on_device(batch, options_.stream), expected[number++]);
        }
        EXPECT_EQ(number, expected.size());
      }
    }
  }
}

TEST_F(CudaLoaderTest, OverwritesASlotOnlyBehindTheStreamsThatUseIt) {
  // A slow kernel stands between a batch's arrival and its use, and the batch is given back at
  // once: a copy that did not wait would overwrite what is read behind the kernel.
  options_.batch_size = 64;
  Loader loader(std::make_shared<FakeProducer>(6400, true), options_);
  const StreamRef second = device_->create_stream();
  const EventRef ready = device_->create_event();
  const auto expected = oracle(6400, options_, 0);
  constexpr std::size_t count = 6400 * 2;
  auto* seen = static_cast<FakeSample*>(device_->allocate_host(count * sizeof(FakeSample)));
  Epoch epoch = loader.epoch(0, true);
  std::size_t at = 0;
  while (std::optional<Batch> batch = epoch.next()) {
    const std::size_t bytes = batch->size() * sizeof(FakeSample);
    device_->record(ready, options_.stream);
    device_->wait(second, ready);
    batch->record_use(second);
    for (const StreamRef stream : {options_.stream, second}) {
      launch_spin(stream_of(stream), 300'000);
      expect_cuda(cudaMemcpyAsync(seen + at, (*batch)["sample"].data, bytes, cudaMemcpyDeviceToHost,
                                  stream_of(stream)));
      at += batch->size();
    }
    std::thread([kept = std::move(*batch)]() mutable { kept.release(); }).join();
  }
  for (const StreamRef stream : {options_.stream, second}) {
    expect_cuda(cudaStreamSynchronize(stream_of(stream)));
  }
  at = 0;
  for (const ExpectedBatch& batch : expected) {
    for (int use = 0; use < 2; ++use) {
      ASSERT_TRUE(std::equal(batch.samples.begin(), batch.samples.end(), seen + at));
      at += batch.samples.size();
    }
  }
  device_->destroy_event(ready);
  device_->destroy_stream(second);
  device_->free_host(seen, count * sizeof(FakeSample));
}

TEST_F(CudaLoaderTest, DeliversStaticBatchesOnWhicheverStreamTheyAreAskedForOn) {
  // As above; but for the loader nothing orders the two streams.
  options_.batch_size = 64;
  options_.static_batch = true;
  Loader loader(std::make_shared<FakeProducer>(6400, true), options_);
  const StreamRef second = device_->create_stream();
  const auto expected = oracle(6400, options_, 0);
  auto* seen = static_cast<FakeSample*>(device_->allocate_host(6400 * sizeof(FakeSample)));
  const void* address = nullptr;
  std::size_t at = 0;
  Epoch epoch = loader.epoch(0, true);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const StreamRef stream = i % 2 == 0 ? options_.stream : second;
    const Batch batch = epoch.next(stream).value();
    if (address == nullptr) address = batch["sample"].data;
    EXPECT_EQ(batch["sample"].data, address);
    launch_spin(stream_of(stream), 300'000);
    expect_cuda(cudaMemcpyAsync(seen + at, address, batch["sample"].bytes(), cudaMemcpyDeviceToHost,
                                stream_of(stream)));
    at += batch.size();
  }
  for (const StreamRef stream : {options_.stream, second}) {
    expect_cuda(cudaStreamSynchronize(stream_of(stream)));
  }
  at = 0;
  for (const ExpectedBatch& batch : expected) {
    ASSERT_TRUE(std::equal(batch.samples.begin(), batch.samples.end(), seen + at));
    at += batch.samples.size();
  }
  device_->destroy_stream(second);
  device_->free_host(seen, 6400 * sizeof(FakeSample));
}

TEST_F(CudaLoaderTest, KeepsBatchesThatTheConsumerKeeps) {
  options_.on_all_held = OnAllHeld::grow;
  Loader loader(std::make_shared<FakeProducer>(80), options_);
  std::vector<Batch> kept;
  for (Batch& batch : loader.epoch(0, true)) kept.push_back(std::move(batch));
  const auto expected = oracle(80, options_, 0);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    EXPECT_EQ(on_device(kept[i], options_.stream), expected[i]);
  }
  EXPECT_EQ(loader.stats().slots_grown, kept.size() - options_.device_prefetch);
}

TEST_F(CudaLoaderTest, TakesNoMoreDeviceMemoryOver10000Batches) {
  options_.batch_size = 4;
  Loader loader(std::make_shared<FakeProducer>(4000, true), options_);
  std::size_t free_at_first = 0, free_now = 0, total = 0;
  for (std::uint64_t epoch = 0; epoch < 11; ++epoch) {
    for (const Batch& batch : loader.epoch(epoch)) EXPECT_EQ(batch.size(), 4U);
    // The first epoch lets the driver take what it needs for itself.
    expect_cuda(cudaMemGetInfo(&free_now, &total));
    if (epoch == 0) free_at_first = free_now;
  }
  EXPECT_EQ(free_now, free_at_first);
}

TEST_F(CudaLoaderTest, IsDestroyedInAnyStateAndBatchesOutliveIt) {
  for (int batches = 0; batches < 6; ++batches) {
    Batch kept;
    const auto expected = oracle(48, options_, 0);
    {
      Loader loader(std::make_shared<FakeProducer>(48), options_);
      Epoch epoch = loader.epoch(0);
      for (int i = 0; i < batches; ++i) kept = std::move(*epoch.next());
      launch_spin(stream_of(options_.stream), 5'000'000);
    }
    if (batches == 0) continue;
    EXPECT_EQ(on_device(kept, options_.stream), expected[static_cast<std::size_t>(batches) - 1]);
  }
}

TEST_F(CudaLoaderTest, NeverMakesTheConsumerWaitForTheDevice) {
  // The consumer's stream is busy for 2 s, so whatever waited for it would take as long.
  Loader loader(std::make_shared<FakeProducer>(80), options_);
  Epoch epoch = loader.epoch(0);
  epoch.next();
  launch_spin(stream_of(options_.stream), 2'000'000'000);
  const auto start = std::chrono::steady_clock::now();
  // Each slot is given back while the stream is busy: only its successor's copy waits.
  epoch.next();
  epoch.next();
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
  EXPECT_EQ(cudaStreamQuery(stream_of(options_.stream)), cudaErrorNotReady);
}

TEST_F(CudaLoaderTest, LeavesTheConsumerItsProcessor) {
  const std::vector<int> usable = usable_processors();
  const int own = usable.back();
  if (usable.size() < 4 || available_processors() != static_cast<int>(usable.size())) {
    GTEST_SKIP() << "needs 4 processors and no quota";
  }
  std::atomic<int> there{0};
  std::thread([&] {
    // Runs there, though it may go elsewhere: the loader asks where it is.
    ASSERT_TRUE(keep_thread_on({own}));
    ASSERT_TRUE(keep_thread_on(usable));
    options_.num_workers = LoaderOptions::automatic;
    const auto producer = std::make_shared<FakeProducer>(800);
    const auto look = [&](std::uint64_t) {
      const std::vector<int> mine = usable_processors();
      if (std::ranges::find(mine, own) != mine.end()) ++there;
      return Status{};
    };
    producer->on_read = look;
    producer->on_produce = look;
    Loader loader(producer, options_);
    EXPECT_EQ(usable_processors(), usable) << "the consumer itself may run anywhere";
    for (const Batch& batch : loader.epoch(0, true)) EXPECT_GT(batch.size(), 0U);
  }).join();
  EXPECT_EQ(there.load(), 0);
}

TEST_F(CudaLoaderTest, ReportsAKernelThatFaultedAndDoesNotHang) {
  Loader loader(std::make_shared<FakeProducer>(800), options_);
  Epoch epoch = loader.epoch(0);
  epoch.next();
  launch_fault(stream_of(options_.stream));
  EXPECT_THROW(
      {
        while (epoch.next()) {
        }
      },
      Error);
}

TEST_F(CudaLoaderTest, WorksWithUnpinnedMemory) {
  options_.device = cuda(cuda_device_count() - 1, {.pin_memory = false});
  Loader loader(std::make_shared<FakeProducer>(100), options_);
  const auto expected = oracle(100, options_, 0);
  std::size_t number = 0;
  for (const Batch& batch : loader.epoch(0, true)) {
    EXPECT_EQ(on_device(batch, options_.stream), expected[number++]);
  }
}

}  // namespace
}  // namespace stoker::testing
