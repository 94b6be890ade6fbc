#include "src/core/fingerprint.hpp"

#define XXH_INLINE_ALL  // header only: no library to link
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <xxhash.h>

#include <array>
#include <bit>

namespace stoker {

struct Fingerprint::State {
  XXH3_state_t xxh3;
};

Fingerprint::Fingerprint() : state_(std::make_unique<State>()) {
  XXH3_128bits_reset(&state_->xxh3);
}

Fingerprint::~Fingerprint() = default;

void Fingerprint::add(std::initializer_list<std::string_view> name, std::int64_t label) {
  std::uint64_t length = 0;
  for (const std::string_view part : name) length += part.size();
  add_number(length);
  for (const std::string_view part : name) pending_ += part;
  add_number(static_cast<std::uint64_t>(label));
}

void Fingerprint::add_number(std::uint64_t number) {
  std::array<char, 8> bytes{};
  for (char& byte : bytes) {
    byte = static_cast<char>(number);
    number >>= 8;
  }
  add_bytes({bytes.data(), bytes.size()});
}

void Fingerprint::add_number(double number) {
  add_number(std::bit_cast<std::uint64_t>(number == 0 ? 0.0 : number));
}

void Fingerprint::add_bytes(std::string_view bytes) {
  pending_ += bytes;
  flush_if_long();
}

void Fingerprint::flush_if_long() {
  constexpr std::size_t piece = 4096;
  if (pending_.size() >= piece) flush();
}

void Fingerprint::flush() {
  XXH3_128bits_update(&state_->xxh3, pending_.data(), pending_.size());
  pending_.clear();
}

std::string Fingerprint::text() {
  flush();
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(&state_->xxh3));
  return fmt::format("{:02x}", fmt::join(canonical.digest, ""));
}

}  // namespace stoker
