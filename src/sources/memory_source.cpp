#include <stoker/sources/memory_source.hpp>

#include "src/core/fingerprint.hpp"

#include <fmt/format.h>

namespace stoker {

const MemorySample& MemorySource::at(std::uint64_t index) const {
  if (index >= samples_.size()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("there is no sample {}: the source has {}", index, samples_.size()));
  }
  return samples_[index];
}

Status MemorySource::read(std::uint64_t index, EncodedSample& sample) const {
  const MemorySample& held = at(index);
  if (held.bytes.empty()) {
    return fail(ErrorCode::empty_file, fmt::format("\"{}\" has zero bytes", held.name));
  }
  sample.bytes = held.bytes;
  sample.label = held.label;
  return {};
}

std::string MemorySource::name(std::uint64_t index) const { return at(index).name; }

std::string MemorySource::fingerprint() const {
  Fingerprint fingerprint;
  for (const MemorySample& sample : samples_) fingerprint.add({sample.name}, sample.label);
  return fingerprint.text();
}

}  // namespace stoker
