#pragma once

#include "bench/contender.hpp"
#include <stoker/device/device.hpp>
#include <stoker/engine/loader.hpp>

#include <memory>

namespace stoker::bench {

/// A stream that a device's batches are ready on, and a mark in it.
class DeliveryStream {
 public:
  explicit DeliveryStream(DevicePtr device);
  ~DeliveryStream();
  DeliveryStream(const DeliveryStream&) = delete;
  DeliveryStream& operator=(const DeliveryStream&) = delete;

  StreamRef stream() const noexcept { return stream_; }
  /// Returns once the batches delivered so far lie on the device, complete.
  void wait_for_batches() const;

 private:
  DevicePtr device_;
  StreamRef stream_;
  EventRef mark_;
};

/// Measures stoker's own loader: first and last batch count once they are complete on the
/// workload's device.
class StokerContender : public Contender {
 public:
  explicit StokerContender(const Workload& workload);

  Measurement describe() const override;
  Repetition run(std::uint64_t epoch, const Progress& progress) override;
  std::optional<Stats> stats() const override { return loader_.stats(); }
  int num_workers() const noexcept { return loader_.options().num_workers; }

 private:
  std::shared_ptr<const Source> source_;
  DeliveryStream delivery_;
  Loader loader_;
};

}  // namespace stoker::bench
