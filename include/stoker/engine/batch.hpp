#pragma once

#include <stoker/core/tensor_view.hpp>
#include <stoker/device/device.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace stoker {

struct BatchLease;  // the slot that a batch holds; private to the engine

/// A batch, lent from a slot of the ring: fields, sample indices, names. Move-only; while it lives
/// the slot's memory is the consumer's. Destroying it (on any thread) gives the slot back, after
/// the work queued so far on the streams that use it. A batch may outlive its loader.
class Batch {
 public:
  Batch() noexcept;
  explicit Batch(std::unique_ptr<BatchLease> lease) noexcept;
  ~Batch();
  Batch(Batch&&) noexcept;
  Batch& operator=(Batch&&) noexcept;

  /// Returns the field of that name: [size(), ...]. Valid while this batch lives.
  /// @throws Error(invalid_argument) that lists the fields, Error(invalid_state) for a moved-from
  /// batch.
  TensorView operator[](std::string_view field) const;

  /// Number of samples: batch_size, fewer in a last partial batch.
  std::size_t size() const noexcept;
  std::uint64_t epoch() const noexcept;
  /// Number of the batch in its epoch, from 0.
  std::uint64_t number() const noexcept;
  /// Index in the source of each sample (of its replacement where one was skipped).
  std::span<const std::uint64_t> indices() const noexcept;
  /// Name of a sample of this batch; made on demand.
  std::string name(std::size_t i) const;
  /// One byte a sample: 1 where it counts, 0 where the place is only filled up.
  std::span<const std::uint8_t> valid() const noexcept;
  /// Number of this batch's fields, and each one's name.
  std::size_t field_count() const noexcept;
  std::string_view field_name(std::size_t i) const;

  /// Says that work on another stream uses this batch: the slot is reused only behind it. The
  /// stream must stay alive while the batch does. Without effect on the host.
  void record_use(StreamRef stream);
  /// Gives the slot back now, as destruction does.
  void release() noexcept;
  explicit operator bool() const noexcept { return lease_ != nullptr; }

 private:
  std::unique_ptr<BatchLease> lease_;
};

}  // namespace stoker
