#pragma once

#include <stoker/core/error.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace stoker {

/// A sample as its source holds it: encoded bytes and label. Used again for many samples, so that
/// `storage` soon stops growing.
struct EncodedSample {
  /// The bytes: in `storage`, or in memory of the source that outlives the loader.
  std::span<const std::byte> bytes;
  std::vector<std::byte> storage;
  std::int64_t label = 0;
};

/// Where samples come from. Indices run from 0 to size() - 1 and always mean the same samples.
/// All const members may be called by many threads at the same time.
class Source {
 public:
  virtual ~Source() = default;

  virtual std::uint64_t size() const = 0;

  /// Reads one sample; may block, and is called on reader threads. Leaves `bytes` pointing into
  /// `sample.storage` or into memory that lives as long as the source. Expected failures are
  /// returned; what is thrown counts as ErrorCode::user_code.
  virtual Status read(std::uint64_t index, EncodedSample& sample) const = 0;

  /// The sample's path or another name that tells a person which one it is.
  virtual std::string name(std::uint64_t index) const = 0;

  /// True where `read` never blocks: workers then read for themselves, without reader threads.
  virtual bool in_memory() const { return false; }

  /// Identifies names and labels (not content or times), so that a state is not resumed on other
  /// data. 32 hexadecimal digits.
  virtual std::string fingerprint() const = 0;

  /// Says which samples will be read next, in order; a hint for sources with slow, parallel reads.
  virtual void will_need(std::span<const std::uint64_t> indices) const { (void)indices; }
};

}  // namespace stoker
