#include "cli/png.hpp"

#include <stoker/core/error.hpp>

#ifdef STOKER_WITH_OPENCV
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#endif

namespace stoker::cli {

#ifdef STOKER_WITH_OPENCV
std::vector<std::byte> encode_png(Size size, std::span<const std::uint8_t> rgb) {
  // OpenCV orders channels blue, green, red, and takes no pointer to const.
  const cv::Mat image(size.height, size.width, CV_8UC3, const_cast<std::uint8_t*>(rgb.data()));
  cv::Mat bgr;
  cv::cvtColor(image, bgr, cv::COLOR_RGB2BGR);
  std::vector<std::uint8_t> encoded;
  if (!cv::imencode(".png", bgr, encoded)) {
    throw Error(ErrorCode::unsupported, "OpenCV could not encode a PNG");
  }
  const auto bytes = std::as_bytes(std::span(encoded));
  return {bytes.begin(), bytes.end()};
}
#else
std::vector<std::byte> encode_png(Size, std::span<const std::uint8_t>) {
  throw Error(ErrorCode::unsupported, "this build writes no PNG: it was made without OpenCV");
}
#endif

}  // namespace stoker::cli
