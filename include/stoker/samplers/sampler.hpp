#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace stoker {

/// The sample indices of one epoch, readable from any position. Immutable; may be read by several
/// threads at the same time: a loader reads it on a thread of its own or, for small batches in
/// memory, where a batch is released.
class Order {
 public:
  virtual ~Order() = default;
  virtual std::uint64_t size() const = 0;
  /// Fills `out` with the indices at positions first, first + stride, ...; they must exist.
  virtual void read(std::uint64_t first, std::uint64_t stride,
                    std::span<std::uint64_t> out) const = 0;
  /// The same without gaps.
  void read(std::uint64_t first, std::span<std::uint64_t> out) const { read(first, 1, out); }
};

class DistributedSampler;

/// Decides in which order an epoch visits a source: a pure function of seed and epoch. Immutable
/// and usable alone, without a loader.
class Sampler {
 public:
  virtual ~Sampler() = default;
  /// Number of indices in an epoch.
  virtual std::uint64_t size() const = 0;
  /// Builds an epoch's order. @throws std::bad_alloc
  virtual std::shared_ptr<const Order> order(std::uint64_t seed, std::uint64_t epoch) const = 0;
  /// Name and parameters, e.g. "random(size=1281167)": equal texts mean equal orders.
  virtual std::string text() const = 0;
  /// Returns this sampler where it is one rank's share of another's order, so that a loader knows
  /// the places in the whole order.
  virtual const DistributedSampler* as_distributed() const noexcept { return nullptr; }
};

}  // namespace stoker
