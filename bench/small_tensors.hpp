#pragma once

#include <stoker/core/stream_copy.hpp>
#include <stoker/engine/producer.hpp>

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace stoker::bench {

/// Small tensors in memory, 4,096 of them however many samples there are: a producer that copies
/// and does nothing else, so that what it takes longer is the engine's.
class SmallTensors final : public Producer {
 public:
  SmallTensors(std::uint64_t size, std::size_t sample_bytes)
      : size_(size),
        sample_bytes_(sample_bytes),
        data_(count * sample_bytes, std::byte{1}),
        fields_{{"tensor", DType::uint8, {static_cast<std::int64_t>(sample_bytes)}}} {}

  std::uint64_t size() const override { return size_; }
  const std::vector<FieldSpec>& fields() const override { return fields_; }
  std::string name(std::uint64_t index) const override { return fmt::format("{}", index); }
  std::string fingerprint() const override { return std::string(32, '0'); }
  std::string pipeline() const override { return "none"; }
  bool in_memory() const override { return true; }

  std::span<const std::byte> bytes(std::uint64_t index) const {
    return std::span(data_).subspan(index % count * sample_bytes_, sample_bytes_);
  }
  Status read(std::uint64_t index, EncodedSample& sample) const override {
    sample.bytes = bytes(index);
    return {};
  }
  Status produce(std::uint64_t, const EncodedSample& sample, const SamplePlace& place,
                 const RandomKey&, ProduceCounters&) const override {
    constexpr std::size_t large = std::size_t{64} << 10;
    if (sample.bytes.size() < large) {
      std::memcpy(place[0], sample.bytes.data(), sample.bytes.size());
    } else {
      stream_copy(place[0], sample.bytes.data(), sample.bytes.size());
    }
    return {};
  }

 private:
  static constexpr std::uint64_t count = 4096;

  std::uint64_t size_;
  std::size_t sample_bytes_;
  std::vector<std::byte> data_;
  std::vector<FieldSpec> fields_;
};

}  // namespace stoker::bench
