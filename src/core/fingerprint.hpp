#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace stoker {

/// Computes what identifies data: XXH3's 128 bits over everything that was added, in order. The
/// same on every machine, however the pieces were cut. Source: XXH3 is Yann Collet's xxHash,
/// specified at https://xxhash.com.
class Fingerprint {
 public:
  Fingerprint();
  ~Fingerprint();

  /// Adds a source's sample, whose name may come in parts: the name's length, the name, the label.
  void add(std::initializer_list<std::string_view> name, std::int64_t label);
  /// Adds a number as 8 bytes, little endian.
  void add_number(std::uint64_t number);
  /// Adds a number by the bits of its double, so that equal numbers (0 and -0 too) add equal bytes.
  void add_number(double number);
  /// Adds bytes as they are.
  void add_bytes(std::string_view bytes);
  /// Returns 32 hexadecimal digits.
  std::string text();

 private:
  struct State;

  void flush_if_long();
  void flush();

  std::unique_ptr<State> state_;
  std::string pending_;  // hashed in large pieces, which is faster
};

/// Returns the fingerprint of some numbers, which does not depend on their type's width.
template <class Number>
std::string fingerprint_of(std::span<const Number> numbers) {
  using Wide = std::conditional_t<std::is_floating_point_v<Number>, double, std::uint64_t>;
  Fingerprint fingerprint;
  for (const Number number : numbers) fingerprint.add_number(Wide{number});
  return fingerprint.text();
}

}  // namespace stoker
