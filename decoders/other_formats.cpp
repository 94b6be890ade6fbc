#include "decoders/other_formats.hpp"

#include <fmt/format.h>

#include "decoders/png.hpp"

#ifdef STOKER_WITH_OPENCV
#include <limits>
#include <new>

#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#endif

namespace stoker {
namespace {

Failure not_an_image(std::span<const std::byte> bytes) {
  return {ErrorCode::unknown_format,
          fmt::format("no image format that is known here: the file {}", describe_start(bytes))};
}

}  // namespace

#ifdef STOKER_WITH_OPENCV

namespace {

Status check_pixels(Format format, Size size, std::uint64_t max_pixels) {
  const auto height = static_cast<std::uint64_t>(size.height);
  const auto width = static_cast<std::uint64_t>(size.width);
  if (height * width <= max_pixels) return {};
  return fail(ErrorCode::image_too_large,
              fmt::format("{}: the image declares {} x {} pixels (width x height), the limit "
                          "max_pixels is {}",
                          name(format), width, height, max_pixels));
}

Failure failure_of(const cv::Exception& exception, Format format) {
  return {exception.code == cv::Error::StsNoMem ? ErrorCode::out_of_memory : ErrorCode::corrupt,
          fmt::format("{}: OpenCV: {}", name(format), exception.err)};
}

}  // namespace

struct OtherFormatsDecoder::Pixels {
  cv::Mat bgr;
};

OtherFormatsDecoder::OtherFormatsDecoder() : pixels_(std::make_unique<Pixels>()) {}
OtherFormatsDecoder::~OtherFormatsDecoder() = default;

Result<Size> OtherFormatsDecoder::open(std::span<const std::byte> bytes, Format format,
                                       std::uint64_t max_pixels) {
  if (format == Format::png) {
    const Result<Size> declared = check_png(bytes);
    if (!declared) return declared;
    STOKER_RETURN_IF_FAILED(check_pixels(format, *declared, max_pixels));
  }
  if (bytes.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    return fail(ErrorCode::unsupported, fmt::format("{}: files over 2 GiB", name(format)));
  }
  cv::Mat& bgr = pixels_->bgr;
  try {
    bgr.release();  // imdecode leaves what it held before where it finds no image
    const cv::Mat encoded(1, static_cast<int>(bytes.size()), CV_8UC1,
                          const_cast<std::byte*>(bytes.data()));
    if (cv::imdecode(encoded, cv::IMREAD_COLOR | cv::IMREAD_IGNORE_ORIENTATION, &bgr).empty()) {
      if (format == Format::unknown) return tl::unexpected(not_an_image(bytes));
      return fail(ErrorCode::corrupt, fmt::format("{}: OpenCV cannot decode it", name(format)));
    }
  } catch (const cv::Exception& exception) {
    return tl::unexpected(failure_of(exception, format));
  }
  STOKER_RETURN_IF_FAILED(check_pixels(format, {bgr.rows, bgr.cols}, max_pixels));
  return Size{bgr.rows, bgr.cols};
}

// A plain loop and not cv::cvtColor, which may run other tasks of the worker's thread pool inside.
void OtherFormatsDecoder::copy(const Rect& window, Image& out) const {
  out.resize(window.size());
  for (int y = 0; y < window.height; ++y) {
    const std::uint8_t* from =
        pixels_->bgr.ptr<std::uint8_t>(window.top + y) + window.left * Image::channels;
    std::uint8_t* to = out.row(y);
    for (int x = 0; x < window.width; ++x, from += Image::channels, to += Image::channels) {
      to[0] = from[2];
      to[1] = from[1];
      to[2] = from[0];
    }
  }
}

std::size_t OtherFormatsDecoder::capacity() const noexcept {
  return pixels_->bgr.total() * pixels_->bgr.elemSize();
}

#else

struct OtherFormatsDecoder::Pixels {};

OtherFormatsDecoder::OtherFormatsDecoder() = default;
OtherFormatsDecoder::~OtherFormatsDecoder() = default;

Result<Size> OtherFormatsDecoder::open(std::span<const std::byte> bytes, Format format,
                                       std::uint64_t) {
  if (format == Format::unknown) return tl::unexpected(not_an_image(bytes));
  return fail(ErrorCode::unsupported,
              fmt::format("{}: read through OpenCV, which this build lacks", name(format)));
}

void OtherFormatsDecoder::copy(const Rect&, Image&) const {}

std::size_t OtherFormatsDecoder::capacity() const noexcept { return 0; }

#endif

}  // namespace stoker
