#include "src/engine/transfer_clock.hpp"

#include <stoker/device/simulated.hpp>

#include <gtest/gtest.h>

namespace stoker {
namespace {

class TransferClockTest : public ::testing::Test {
 protected:
  void transfer(TransferClock& clock, std::size_t bytes) {
    clock.begin(stream_);
    device_->copy_to_device(there_, here_, bytes, stream_);
    clock.copied(stream_, bytes);
    device_->launch(stream_, [] {});
    clock.finished(stream_);
  }
  ~TransferClockTest() override {
    device_->destroy_stream(stream_);
    device_->free_host(here_, 64);
    device_->free_device(there_, 64);
    EXPECT_EQ(device_->leaks().text(), "nothing");
  }

  std::shared_ptr<SimulatedDevice> device_ = simulated(1, {.progress = 0});
  StreamRef stream_ = device_->create_stream();
  void* here_ = device_->allocate_host(64);
  void* there_ = device_->allocate_device(64);
  EngineCounters counters_;
};

TEST_F(TransferClockTest, CountsWhatTheDeviceTookOnceItIsDone) {
  TransferClock clock(*device_, counters_, 4);
  transfer(clock, 64);
  clock.collect();
  EXPECT_EQ(counters_.stats().batches_timed, 0U) << "nothing has run yet";
  device_->synchronize();
  clock.collect();
  const Stats stats = counters_.stats();
  EXPECT_EQ(stats.batches_timed, 1U);
  EXPECT_EQ(stats.bytes_timed, 64U);
  // A step for each piece of the copy, its poison and the mark; one for the kernel and the mark.
  EXPECT_EQ(stats.device_copy, std::chrono::nanoseconds(4));
  EXPECT_EQ(stats.device_finish, std::chrono::nanoseconds(2));
}

TEST_F(TransferClockTest, LeavesOutWhatItHasNoEventsForAndWhatWasBrokenOff) {
  TransferClock clock(*device_, counters_, 2);
  for (int i = 0; i < 5; ++i) transfer(clock, 16);
  device_->synchronize();
  clock.collect();
  EXPECT_EQ(counters_.stats().batches_timed, 2U);
  clock.begin(stream_);  // the copy could not be queued
  for (int i = 0; i < 2; ++i) {
    transfer(clock, 16);
    device_->synchronize();
  }
  clock.collect();
  EXPECT_EQ(counters_.stats().batches_timed, 4U);
  EXPECT_EQ(counters_.stats().bytes_timed, 64U);
}

}  // namespace
}  // namespace stoker
