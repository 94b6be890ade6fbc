#include <stoker/decoders/decoder.hpp>

#include "decoders/exif.hpp"
#include "decoders/format.hpp"
#include "decoders/jpeg.hpp"
#include "decoders/orientation.hpp"
#include "decoders/other_formats.hpp"

#include <fmt/format.h>

#include <array>
#include <new>
#include <utility>

namespace stoker {
namespace {

constexpr std::array scaled_denominators{8, 4, 2};

bool is_denominator(int value) { return value == 1 || value == 2 || value == 4 || value == 8; }

int divide_up(int value, int divisor) { return (value + divisor - 1) / divisor; }

Size scale(Size size, int denominator) {
  return {divide_up(size.height, denominator), divide_up(size.width, denominator)};
}

Rect scale(const Rect& rect, int denominator) {
  const int top = rect.top / denominator;
  const int left = rect.left / denominator;
  return {top, left, divide_up(rect.bottom(), denominator) - top,
          divide_up(rect.right(), denominator) - left};
}

bool is_whole(const Rect& rect, Size size) { return rect == Rect{0, 0, size.height, size.width}; }

Failure out_of_memory() { return {ErrorCode::out_of_memory, "no memory for the decoded image"}; }

}  // namespace

struct Decoder::State {
  enum class Opened { nothing, jpeg, other };

  Result<Size> open_jpeg(std::span<const std::byte> bytes);
  Result<Size> open_other(std::span<const std::byte> bytes, Format format);
  Status check(const Rect& window, int denominator) const;
  Result<Rect> decode_jpeg(const Rect& window, int denominator, Image& out);

  Opened opened = Opened::nothing;
  DecodeOptions options;
  Size size;                ///< upright
  Orientation orientation;  ///< always upright for formats other than JPEG
  JpegDecoder jpeg;
  OtherFormatsDecoder other;
  Image stored;  ///< pixels before they are turned
  std::uint64_t pixels = 0;
};

Result<Size> Decoder::State::open_jpeg(std::span<const std::byte> bytes) {
  const Result<Size> found = jpeg.open(bytes, options.max_pixels);
  if (!found) return found;
  orientation = options.orient ? exif_orientation(bytes) : Orientation{};
  size = orientation.turned(*found);
  opened = Opened::jpeg;
  return size;
}

Result<Size> Decoder::State::open_other(std::span<const std::byte> bytes, Format format) {
  const Result<Size> found = other.open(bytes, format, options.max_pixels);
  if (!found) return found;
  size = *found;
  opened = Opened::other;
  return size;
}

Status Decoder::State::check(const Rect& window, int denominator) const {
  if (opened == Opened::nothing) {
    return fail(ErrorCode::invalid_state, "decode needs an image that was opened just before");
  }
  if (!window.inside(size)) {
    return fail(
        ErrorCode::crop_out_of_bounds,
        fmt::format("the window of {} x {} pixels (width x height) at left {}, top {} does "
                    "not lie inside the image of {} x {}",
                    window.width, window.height, window.left, window.top, size.width, size.height));
  }
  if (!is_denominator(denominator) || (opened == Opened::other && denominator != 1)) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("cannot decode this image at 1/{} of its size", denominator));
  }
  return {};
}

Result<Rect> Decoder::State::decode_jpeg(const Rect& window, int denominator, Image& out) {
  const Rect wanted = scale(window, denominator);
  const bool to_the_end = options.strict || is_whole(window, size);
  if (orientation.is_upright()) return jpeg.decode(wanted, denominator, to_the_end, out);

  const Rect inner = orientation.to_stored(wanted, scale(size, denominator));
  const Result<Rect> covers = jpeg.decode(inner, denominator, to_the_end, stored);
  if (!covers) return covers;
  const Rect inside{inner.top - covers->top, inner.left - covers->left, inner.height, inner.width};
  turn(stored.view().window(inside), orientation, out);
  return wanted;
}

Decoder::Decoder() : state_(std::make_unique<State>()) {}
Decoder::~Decoder() = default;
Decoder::Decoder(Decoder&&) noexcept = default;
Decoder& Decoder::operator=(Decoder&&) noexcept = default;

Result<Size> Decoder::open(std::span<const std::byte> bytes, const DecodeOptions& options) {
  State& state = *state_;
  state.opened = State::Opened::nothing;
  state.options = options;
  if (bytes.empty()) return fail(ErrorCode::empty_file, "the file is empty");
  try {
    const Format format = format_of(bytes);
    return format == Format::jpeg ? state.open_jpeg(bytes) : state.open_other(bytes, format);
  } catch (const std::bad_alloc&) {
    return tl::unexpected(out_of_memory());
  }
}

int Decoder::denominator_for(const Rect& crop, Size target) const {
  if (!state_->options.scaled || state_->opened != State::Opened::jpeg) return 1;
  for (const int denominator : scaled_denominators) {
    const auto keeps = [&](int from, int to) { return from >= std::int64_t{denominator} * to; };
    if (keeps(crop.height, target.height) && keeps(crop.width, target.width)) return denominator;
  }
  return 1;
}

Result<DecodedWindow> Decoder::decode(const Rect& window, int denominator, Image& out) {
  State& state = *state_;
  STOKER_RETURN_IF_FAILED(state.check(window, denominator));
  const bool is_jpeg = std::exchange(state.opened, State::Opened::nothing) == State::Opened::jpeg;
  DecodedWindow decoded{window, scale(state.size, denominator)};
  try {
    if (is_jpeg) {
      const Result<Rect> covers = state.decode_jpeg(window, denominator, out);
      if (!covers) return tl::unexpected(covers.error());
      decoded.covers = *covers;
    } else {
      state.other.copy(window, out);
    }
  } catch (const std::bad_alloc&) {
    return tl::unexpected(out_of_memory());
  }
  state.pixels += static_cast<std::uint64_t>(decoded.covers.height) *
                  static_cast<std::uint64_t>(decoded.covers.width);
  return decoded;
}

std::uint64_t Decoder::pixels_decoded() const noexcept { return state_->pixels; }

std::size_t Decoder::capacity() const noexcept {
  return state_->jpeg.capacity() + state_->other.capacity() + state_->stored.capacity();
}

}  // namespace stoker
