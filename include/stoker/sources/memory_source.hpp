#pragma once

#include <stoker/sources/source.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace stoker {

/// One sample of a MemorySource.
struct MemorySample {
  std::string name;
  std::vector<std::byte> bytes;
  std::int64_t label = 0;
};

/// Samples that the program already holds. `read` copies nothing: the bytes it gives belong to this
/// source, which must outlive them. Fails with empty_file for a sample of zero bytes. Thread-safe.
class MemorySource final : public Source {
 public:
  explicit MemorySource(std::vector<MemorySample> samples) noexcept
      : samples_(std::move(samples)) {}

  std::uint64_t size() const override { return samples_.size(); }
  Status read(std::uint64_t index, EncodedSample& sample) const override;
  std::string name(std::uint64_t index) const override;
  bool in_memory() const override { return true; }
  /// Computed at each call.
  std::string fingerprint() const override;

 private:
  const MemorySample& at(std::uint64_t index) const;

  std::vector<MemorySample> samples_;
};

}  // namespace stoker
