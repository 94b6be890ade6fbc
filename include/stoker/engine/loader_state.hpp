#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace stoker {

/// Where a run stands in its data and of which run that is said: all that is needed to go on with
/// the same samples in the same order, augmented in the same way. Random numbers are counted, not
/// streamed, so none are kept. A value type.
struct LoaderState {
  /// Of the form in which states are written.
  static constexpr std::uint64_t current_version = 1;
  /// Of a state's text; a longer one is refused unread.
  static constexpr std::size_t most_bytes = std::size_t{1} << 20;

  std::uint64_t version = current_version;
  std::uint64_t epoch = 0;
  /// Place in the epoch's whole order, before padding and before it is split among ranks: all
  /// ranks together have been given what lies before it. Counted in samples, or in batches where a
  /// batch sampler makes them.
  std::uint64_t position = 0;

  // What must be the same where the run goes on.
  std::uint64_t seed = 0;
  std::string sampler;    ///< text of the sampler of the whole order
  std::string remainder;  ///< pad, drop or uneven
  bool drop_last = false;
  std::string source;    ///< fingerprint of the source: names and labels
  std::string pipeline;  ///< text of the pipeline

  // What may be another.
  std::uint64_t batch_size = 0;
  std::uint64_t world_size = 1;

  /// Returns the state as a JSON object.
  std::string json() const;
  /// Reads what `json` wrote. @throws Error(bad_state) where the text is cut off, is no state or of
  /// a version that this library does not know.
  static LoaderState parse(std::string_view text);

  friend bool operator==(const LoaderState&, const LoaderState&) = default;
};

}  // namespace stoker
