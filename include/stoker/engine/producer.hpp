#pragma once

#include <stoker/core/error.hpp>
#include <stoker/core/random.hpp>
#include <stoker/core/tensor_view.hpp>
#include <stoker/sources/source.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace stoker {

/// A field of every sample: what one sample takes in a batch. The batch's field has the shape
/// [batch size, shape...].
struct FieldSpec {
  std::string name;
  DType dtype = DType::uint8;
  Shape shape;

  std::size_t bytes() const noexcept {
    return static_cast<std::size_t>(shape.elements()) * size_of(dtype);
  }
};

/// What a producer counted while it made a sample.
struct ProduceCounters {
  std::uint64_t decode_nanoseconds = 0;
  std::uint64_t pixels_decoded = 0;
};

class DeviceStage;

/// Fills one sample's place in a batch; what the engine drives and all that it knows of the data.
/// Source and plan together are one producer. All const members may be called by many threads at
/// the same time. Failures are returned; what is thrown counts as ErrorCode::user_code.
class Producer {
 public:
  virtual ~Producer() = default;

  virtual std::uint64_t size() const = 0;
  /// The fields, the same for every sample and as long as the producer lives.
  virtual const std::vector<FieldSpec>& fields() const = 0;
  virtual std::string name(std::uint64_t index) const = 0;
  /// Identifies the data, so that a state is not resumed on other data.
  virtual std::string fingerprint() const = 0;
  /// Identifies the processing, as text for people, for the same reason.
  virtual std::string pipeline() const = 0;
  /// True where `read` never blocks and costs next to nothing: workers then call it themselves.
  virtual bool in_memory() const = 0;

  /// What is done on the device behind the copy, and what the consumer then gets; null where it
  /// gets fields() as they are. Asked for once, where there is a device.
  virtual std::shared_ptr<const DeviceStage> device_stage() const { return nullptr; }

  /// Reads a sample; may block; on a reader thread.
  virtual Status read(std::uint64_t index, EncodedSample& sample) const = 0;
  /// Writes a sample in its place, on a worker. `place[f]` is where field f goes,
  /// fields()[f].bytes() long; nothing else may be written.
  virtual Status produce(std::uint64_t index, const EncodedSample& sample,
                         std::span<std::byte* const> place, const RandomKey& key,
                         ProduceCounters& counters) const = 0;
};

}  // namespace stoker
