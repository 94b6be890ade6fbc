#include "bench/jpeg_decompressor.hpp"

#include <algorithm>

namespace stoker::bench {

JpegDecompressor::JpegDecompressor() {
  info_.err = jpeg_std_error(&errors_);
  errors_.error_exit = jump_back;
  errors_.output_message = [](j_common_ptr) {};
  jpeg_create_decompress(&info_);
}

JpegDecompressor::~JpegDecompressor() { jpeg_destroy_decompress(&info_); }

void JpegDecompressor::jump_back(j_common_ptr info) {
  std::longjmp(static_cast<ErrorManager*>(info->err)->back, 1);
}

// No object with a destructor may live in a function that libjpeg jumps back into.
std::optional<Size> JpegDecompressor::open(std::span<const std::byte> bytes) {
  if (setjmp(errors_.back) != 0) return std::nullopt;
  jpeg_abort_decompress(&info_);
  jpeg_mem_src(&info_, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  jpeg_read_header(&info_, TRUE);
  if (info_.num_components != 1 && info_.num_components != 3) return std::nullopt;
  return Size{static_cast<int>(info_.image_height), static_cast<int>(info_.image_width)};
}

bool JpegDecompressor::decode(const Rect& crop) {
  if (setjmp(errors_.back) != 0) {
    jpeg_abort_decompress(&info_);
    return false;
  }
  read_rows(crop);
  return true;
}

void JpegDecompressor::read_rows(const Rect& crop) {
  info_.out_color_space = JCS_RGB;
  jpeg_start_decompress(&info_);
  // One pixel more to each side, without which the edge columns would not be the image's own.
  const int right = std::min(crop.right() + 1, static_cast<int>(info_.image_width));
  auto left = static_cast<JDIMENSION>(std::max(crop.left - 1, 0));
  auto width = static_cast<JDIMENSION>(right) - left;
  if (width < info_.image_width) jpeg_crop_scanline(&info_, &left, &width);
  if (crop.top > 0) jpeg_skip_scanlines(&info_, static_cast<JDIMENSION>(crop.top));

  const auto height = static_cast<std::size_t>(crop.height);
  const std::size_t stride = std::size_t{info_.output_width} * 3;
  if (pixels_.size() < height * stride) pixels_.resize(height * stride);
  if (rows_.size() < height) rows_.resize(height);
  for (std::size_t y = 0; y < height; ++y) rows_[y] = pixels_.data() + y * stride;
  for (std::size_t y = 0; y < height;) {
    y += jpeg_read_scanlines(&info_, rows_.data() + y, static_cast<JDIMENSION>(height - y));
  }
  jpeg_abort_decompress(&info_);
}

}  // namespace stoker::bench
