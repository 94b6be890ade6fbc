#include <stoker/decoders/decode.hpp>

#include <stoker/core/error.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <memory>

namespace stoker {
namespace {

constexpr std::uint64_t largest_exact_double = std::uint64_t{1} << 53;

bool is_allowed_limit(std::uint64_t max_pixels) {
  return max_pixels >= 1 && max_pixels <= largest_exact_double;
}

}  // namespace

Decode::Decode(const DecodeOptions& options) : options_(options) {
  if (is_allowed_limit(options.max_pixels)) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("decode: max_pixels must be from 1 to 2^53, not {}", options.max_pixels));
}

std::string Decode::text() const {
  return fmt::format("decode(strict={}, orient={}, scaled={}, max_pixels={})", options_.strict,
                     options_.orient, options_.scaled, options_.max_pixels);
}

Step decode(const DecodeOptions& options) { return std::make_shared<Decode>(options); }

Step make_decode(Arguments& arguments) {
  DecodeOptions options;
  options.strict = arguments.boolean("strict", options.strict);
  options.orient = arguments.boolean("orient", options.orient);
  options.scaled = arguments.boolean("scaled", options.scaled);
  const std::int64_t limit =
      arguments.integer("max_pixels", static_cast<std::int64_t>(options.max_pixels));
  options.max_pixels = limit < 0 ? 0 : static_cast<std::uint64_t>(limit);
  if (!is_allowed_limit(options.max_pixels)) {
    arguments.reject("max_pixels", "must be from 1 to 2^53");
  }
  arguments.finish();
  return decode(options);
}

}  // namespace stoker
