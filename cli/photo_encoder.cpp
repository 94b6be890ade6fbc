#include "cli/photo_encoder.hpp"

#include <stoker/core/error.hpp>

#include <cstdio>
#include <jpeglib.h>

#include <array>
#include <csetjmp>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace stoker::cli {
namespace {

/// A JPEG file in the making. libjpeg leaves by longjmp where it fails; so nothing with a
/// destructor may live in what runs under `run`.
class Compressor {
 public:
  Compressor() { jpeg_std_error(&errors_); }
  ~Compressor() {
    jpeg_destroy_compress(&info_);
    std::free(memory_);
  }
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;

  /// Calls `steps(info)` between start and end of a file. @throws Error(unsupported)
  template <class Steps>
  void run(const Steps& steps) {
    if (!try_run(steps)) throw Error(ErrorCode::unsupported, message());
  }
  std::vector<std::byte> bytes() const {
    const auto* begin = reinterpret_cast<const std::byte*>(memory_);
    return {begin, begin + size_};
  }
  std::size_t size() const noexcept { return size_; }

 private:
  template <class Steps>
  bool try_run(const Steps& steps) {
    info_.err = &errors_;
    info_.client_data = this;
    errors_.error_exit = leave;
    if (setjmp(escape_) != 0) return false;
    jpeg_create_compress(&info_);
    jpeg_mem_dest(&info_, &memory_, &size_);
    steps(info_);
    jpeg_finish_compress(&info_);
    return true;
  }
  [[noreturn]] static void leave(j_common_ptr info) {
    std::longjmp(static_cast<Compressor*>(info->client_data)->escape_, 1);
  }
  std::string message() {
    std::array<char, JMSG_LENGTH_MAX> text{};
    errors_.format_message(reinterpret_cast<j_common_ptr>(&info_), text.data());
    return std::string("libjpeg cannot encode a photo: ") + text.data();
  }

  std::jmp_buf escape_;
  jpeg_error_mgr errors_{};
  jpeg_compress_struct info_{};
  unsigned char* memory_ = nullptr;
  unsigned long size_ = 0;
};

int channels(PhotoColors colors) {
  switch (colors) {
    case PhotoColors::grayscale: return 1;
    case PhotoColors::cmyk: return 4;
    case PhotoColors::ycbcr: break;
  }
  return 3;
}

J_COLOR_SPACE color_space(PhotoColors colors) {
  switch (colors) {
    case PhotoColors::grayscale: return JCS_GRAYSCALE;
    case PhotoColors::cmyk: return JCS_CMYK;
    case PhotoColors::ycbcr: break;
  }
  return JCS_YCbCr;
}

/// How `encode` and `estimate_bits_per_pixel` differ: a draft takes one strip of rows in `every`,
/// and no second pass for better Huffman tables or progressive scans.
struct Extent {
  int every;
  bool draft() const noexcept { return every != 1; }
  // Whole rows of blocks, whatever the subsampling.
  bool contains(int y) const noexcept { return y / 16 % every == 0; }
  int rows(int height) const noexcept {
    int count = 0;
    for (int y = 0; y < height; ++y) count += contains(y) ? 1 : 0;
    return count;
  }
};

void start(jpeg_compress_struct& info, const PhotoSpec& spec, const Extent& extent) {
  info.image_width = static_cast<JDIMENSION>(spec.width);
  info.image_height = static_cast<JDIMENSION>(extent.rows(spec.height));
  info.input_components = channels(spec.colors);
  info.in_color_space = color_space(spec.colors);
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, spec.quality, TRUE);
  info.optimize_coding = extent.draft() ? FALSE : TRUE;
  if (spec.progressive && !extent.draft()) jpeg_simple_progression(&info);
  if (spec.colors == PhotoColors::ycbcr) {
    info.comp_info[0].h_samp_factor = spec.chroma_step_x;
    info.comp_info[0].v_samp_factor = spec.chroma_step_y;
  }
  jpeg_start_compress(&info, TRUE);
}

void write_row(const Painting& painting, PhotoColors colors, int y, float detail,
               std::uint8_t* row) {
  if (colors == PhotoColors::grayscale) return painting.write_luma(y, detail, row);
  painting.write_ycbcr(y, detail, row);
  if (colors == PhotoColors::ycbcr) return;
  // Any four inks do: the three channels as they are, and no black (255 where inks are inverted).
  for (int x = painting.width() - 1; x >= 0; --x) {
    row[4 * x + 3] = 255;
    for (int channel = 2; channel >= 0; --channel) row[4 * x + channel] = row[3 * x + channel];
  }
}

void encode_rows(Compressor& compressor, const Painting& painting, const PhotoSpec& spec,
                 float detail, const Extent& extent) {
  std::vector<std::uint8_t> pixels(static_cast<std::size_t>(spec.width) * 4);
  JSAMPROW row = pixels.data();
  compressor.run([&](jpeg_compress_struct& info) {
    start(info, spec, extent);
    for (int y = 0; y < painting.height(); ++y) {
      if (!extent.contains(y)) continue;
      write_row(painting, spec.colors, y, detail, row);
      jpeg_write_scanlines(&info, &row, 1);
    }
  });
}

}  // namespace

std::vector<std::byte> encode(const Painting& painting, const PhotoSpec& spec, float detail) {
  Compressor compressor;
  encode_rows(compressor, painting, spec, detail, {.every = 1});
  return compressor.bytes();
}

double estimate_bits_per_pixel(const Painting& painting, const PhotoSpec& spec, float detail) {
  constexpr Extent quarter{.every = 4};
  constexpr double saved_by_tables = 0.95;
  Compressor compressor;
  encode_rows(compressor, painting, spec, detail, quarter);
  return saved_by_tables * 8 * static_cast<double>(compressor.size()) / spec.width /
         quarter.rows(spec.height);
}

}  // namespace stoker::cli
