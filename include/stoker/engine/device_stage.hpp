#pragma once

#include <stoker/device/device.hpp>
#include <stoker/engine/producer.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace stoker {

/// The end of a producer's work, where it is done on the device: the host's fields cross the bus,
/// and what the consumer gets is made of them on the copying stream. Immutable; one serves all
/// batches. What `enqueue` throws becomes the batch's failure.
class DeviceStage {
 public:
  virtual ~DeviceStage() = default;

  /// The fields that the consumer gets.
  virtual const std::vector<FieldSpec>& outputs() const = 0;
  /// The host's field that an output is a copy of; nothing for one that `enqueue` makes.
  virtual std::optional<std::size_t> source_of(std::size_t output) const = 0;
  /// Bytes that `enqueue` needs in device memory, the same for all batches.
  virtual std::span<const std::byte> constants() const = 0;

  /// Queues the work on a batch of `count` samples. `inputs[f]` is where host field f lies on the
  /// device, null for one that is copied to its output at once; `outputs[o]` is where output o
  /// goes; `constants` is where constants() lies.
  virtual void enqueue(Device& device, StreamRef stream, std::span<std::byte* const> inputs,
                       std::span<std::byte* const> outputs, const std::byte* constants,
                       std::size_t count) const = 0;
};

}  // namespace stoker
