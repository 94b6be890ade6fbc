#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

namespace stoker {

/// Computes a source's fingerprint from its samples' names and labels, in order: XXH3's 128 bits
/// over, for each sample, the name's length, the name and the label (numbers as 8 bytes, little
/// endian). The same on every machine.
/// Source: XXH3 is Yann Collet's xxHash, specified at https://xxhash.com.
class Fingerprint {
 public:
  Fingerprint();
  ~Fingerprint();

  /// Adds a sample, whose name may come in parts.
  void add(std::initializer_list<std::string_view> name, std::int64_t label);
  /// Returns 32 hexadecimal digits.
  std::string text();

 private:
  struct State;

  void add_number(std::uint64_t number);
  void flush();

  std::unique_ptr<State> state_;
  std::string pending_;  // hashed in large pieces, which is faster
};

}  // namespace stoker
