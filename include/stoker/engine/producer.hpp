#pragma once

#include <stoker/core/error.hpp>
#include <stoker/core/random.hpp>
#include <stoker/core/tensor_view.hpp>
#include <stoker/sources/source.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
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
  /// Not 0: a ragged field, whose samples take room of different sizes, so many bytes on average.
  /// `shape` is then what every sample can have at least. Only for what a DeviceStage reads.
  std::size_t budget = 0;
  /// Of images, what the dimensions of `shape` mean; nothing for other fields.
  std::optional<Layout> layout = {};

  std::size_t bytes() const noexcept {
    return static_cast<std::size_t>(shape.elements()) * size_of(dtype);
  }
};

/// What a producer counted while it made a sample.
struct ProduceCounters {
  std::uint64_t decode_nanoseconds = 0;
  std::uint64_t pixels_decoded = 0;
  std::uint64_t resized_on_cpu = 0;  ///< crops that were to be resized on the device
};

class DeviceStage;
class RaggedRoom;

/// Where a producer writes a sample of a batch.
class SamplePlace {
 public:
  SamplePlace(std::span<std::byte* const> fields, std::span<RaggedRoom> rooms,
              std::uint32_t sample) noexcept
      : fields_(fields), rooms_(rooms), sample_(sample) {}

  /// Where field f goes, fields()[f].bytes() long; of a ragged field where its first byte lies.
  std::byte* operator[](std::size_t field) const noexcept { return fields_[field]; }

  /// Takes room of a ragged field for this sample, 64-byte aligned; null where the batch has not as
  /// much left. As many bytes as the field's shape has, and fewer, can always be had; a second call
  /// gives up what the first one took.
  std::byte* take(std::size_t field, std::size_t bytes) const noexcept;

 private:
  std::span<std::byte* const> fields_;
  std::span<RaggedRoom> rooms_;  ///< by field
  std::uint32_t sample_;
};

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
  /// True where `produce` or `copy` call code that may wait for something: a loader's own workers
  /// then are threads of its own, see WorkerPoolOptions::own_threads.
  virtual bool may_block() const { return false; }

  /// What is done on the device behind the copy, and what the consumer then gets; null where it
  /// gets fields() as they are. Asked for where there is a device.
  virtual std::shared_ptr<const DeviceStage> device_stage() const { return nullptr; }

  /// Reads a sample; may block; on a reader thread.
  virtual Status read(std::uint64_t index, EncodedSample& sample) const = 0;
  /// Writes the samples of these indices one behind the other from `fields[f]` on, in place of read
  /// and produce, where that is cheaper than one by one and cannot fail: for data in memory that is
  /// only copied. Returns false, and has written nothing, where there is no such way.
  virtual bool copy([[maybe_unused]] std::span<const std::uint64_t> indices,
                    [[maybe_unused]] std::span<std::byte* const> fields) const {
    return false;
  }
  /// Writes a sample in its place, on a worker; nothing else may be written.
  virtual Status produce(std::uint64_t index, const EncodedSample& sample, const SamplePlace& place,
                         const RandomKey& key, ProduceCounters& counters) const = 0;
};

}  // namespace stoker
