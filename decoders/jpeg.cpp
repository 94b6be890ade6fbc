#include "decoders/jpeg.hpp"

#include "decoders/cmyk.hpp"

#include <fmt/format.h>
#include <jerror.h>

#include <algorithm>
#include <array>
#include <span>

namespace stoker {
namespace {

constexpr int cmyk_channels = 4;
/// As many rows as libjpeg gives at once at most: the largest vertical sampling factor.
constexpr int rows_at_once = MAX_SAMP_FACTOR;

int to_int(JDIMENSION value) { return static_cast<int>(value); }
JDIMENSION to_dimension(int value) { return static_cast<JDIMENSION>(value); }

/// Side in pixels of a decoded block: of the component with the smallest, and of one component. 8
/// at full scale, but 1 in a lossless file.
int block_side(const jpeg_decompress_struct& info) {
#if JPEG_LIB_VERSION >= 70
  return info.min_DCT_h_scaled_size;
#else
  return info.min_DCT_scaled_size;
#endif
}
int block_side(const jpeg_component_info& component) {
#if JPEG_LIB_VERSION >= 70
  return component.DCT_h_scaled_size;
#else
  return component.DCT_scaled_size;
#endif
}

std::span<const jpeg_component_info> components(const jpeg_decompress_struct& info) {
  return {info.comp_info, static_cast<std::size_t>(info.num_components)};
}

bool is_cmyk(const jpeg_decompress_struct& info) {
  return info.jpeg_color_space == JCS_CMYK || info.jpeg_color_space == JCS_YCCK;
}

Status check_header(const jpeg_decompress_struct& info, std::uint64_t max_pixels) {
  const std::uint64_t pixels = std::uint64_t{info.image_width} * info.image_height;
  if (pixels > max_pixels) {
    return fail(ErrorCode::image_too_large,
                fmt::format("JPEG: the image declares {} x {} pixels (width x height), the limit "
                            "max_pixels is {}",
                            info.image_width, info.image_height, max_pixels));
  }
  if (info.jpeg_color_space == JCS_UNKNOWN) {
    return fail(ErrorCode::unsupported,
                fmt::format("JPEG: {} colour components", info.num_components));
  }
  if (block_side(info) != DCTSIZE) return fail(ErrorCode::unsupported, "JPEG: lossless coding");
  return {};
}

/// libjpeg guesses what a progressive file lacks from neighbouring blocks, but when cropping only
/// from those inside.
bool is_smoothed(const jpeg_decompress_struct& info) {
  constexpr int smoothed_coefficients = 10;
  if (!info.progressive_mode || !info.coef_bits) return false;
  for (int i = 0; i < info.num_components; ++i) {
    const int* bits = info.coef_bits[i];
    if (std::any_of(bits + 1, bits + smoothed_coefficients, [](int b) { return b != 0; })) {
      return true;
    }
  }
  return false;
}

/// When cropping at a DCT scale, libjpeg mistakes the width of a component whose blocks it decodes
/// larger than the others' but not yet at full size.
bool has_mistaken_width(const jpeg_decompress_struct& info) {
  const int least = block_side(info);
  return std::ranges::any_of(components(info), [&](const jpeg_component_info& component) {
    const int side = block_side(component);
    const bool is_full_size = component.h_samp_factor * side == info.max_h_samp_factor * least &&
                              component.v_samp_factor * side == info.max_v_samp_factor * least;
    return side != least && !is_full_size;
  });
}

void start(jpeg_decompress_struct& info, int denominator) {
  info.scale_num = 1;
  info.scale_denom = static_cast<unsigned>(denominator);
  info.out_color_space = is_cmyk(info) ? JCS_CMYK : JCS_RGB;
  info.dct_method = JDCT_ISLOW;
  jpeg_start_decompress(&info);
}

/// Narrows libjpeg's output to the columns of `window` and returns the rectangle that rows from its
/// top to its bottom will cover.
Rect narrow_columns(jpeg_decompress_struct& info, const Rect& window) {
  const int width = to_int(info.output_width);
  int left = 0;
  int right = width;
  if (!is_smoothed(info) && !has_mistaken_width(info)) {
    // Colour at half resolution is interpolated from both sides, but not across the edge of a crop,
    // and not at all in crops less than three samples wide.
    const int margin = info.max_h_samp_factor > 1 && info.num_components > 1 ? 1 : 0;
    const int least = 3 * info.max_h_samp_factor;
    left = std::max(0, window.left - margin);
    right = std::min(width, std::max(window.right() + margin, left + least));
    left = std::max(0, std::min(left, right - least));
  }
  JDIMENSION offset = to_dimension(left);
  JDIMENSION columns = to_dimension(right - left);
  if (right - left < width) jpeg_crop_scanline(&info, &offset, &columns);
  return {window.top, to_int(offset), window.height, to_int(info.output_width)};
}

/// Reads up to `wanted` rows; never none, so that nothing can wait for rows for ever.
JDIMENSION read_some(jpeg_decompress_struct& info, JSAMPARRAY rows, JDIMENSION wanted) {
  const JDIMENSION count = jpeg_read_scanlines(&info, rows, wanted);
  if (count == 0) ERREXIT(&info, JERR_CANT_SUSPEND);
  return count;
}

void read_rows(jpeg_decompress_struct& info, Image& out) {
  std::uint8_t* row = out.data();
  const std::size_t stride = out.stride();
  const JDIMENSION bottom = info.output_scanline + to_dimension(out.size().height);
  while (info.output_scanline < bottom) {
    std::array<JSAMPROW, rows_at_once> rows;
    const JDIMENSION wanted = std::min(bottom - info.output_scanline, JDIMENSION{rows_at_once});
    for (std::size_t i = 0; i < wanted; ++i) rows[i] = row + i * stride;
    row += read_some(info, rows.data(), wanted) * stride;
  }
}

void read_cmyk_rows(jpeg_decompress_struct& info, std::uint8_t* scratch, Image& out) {
  const std::size_t width = info.output_width;
  JSAMPROW row = scratch;
  for (int y = 0; y < out.size().height; ++y) {
    read_some(info, &row, 1);
    inverted_cmyk_to_rgb(scratch, width, out.row(y));
  }
}

/// Skipping right to the bottom would stop without reading, so the last row is read. With more than
/// two rows to a group, libjpeg may lose a row of blocks when it skips from where rows were read,
/// and then waits for ever at the end: there every row is read.
void read_to_the_end(jpeg_decompress_struct& info, std::uint8_t* scratch) {
  constexpr int skippable_group = 2;
  JSAMPROW row = scratch;
  while (info.output_scanline < info.output_height) {
    if (info.max_v_samp_factor <= skippable_group) {
      jpeg_skip_scanlines(&info, info.output_height - 1 - info.output_scanline);
    }
    read_some(info, &row, 1);
  }
  jpeg_finish_decompress(&info);
}

}  // namespace

Result<Size> JpegDecoder::open(std::span<const std::byte> bytes, std::uint64_t max_pixels) {
  session_.begin(bytes);
  bool many_scans = false;
  const bool read = session_.run([&](jpeg_decompress_struct& info) {
    jpeg_read_header(&info, TRUE);
    many_scans = jpeg_has_multiple_scans(&info);
  });
  if (!read) return tl::unexpected(session_.failure());
  STOKER_RETURN_IF_FAILED(check_header(session_.info(), max_pixels));
  if (many_scans) session_.watch_scans();
  return Size{to_int(session_.info().image_height), to_int(session_.info().image_width)};
}

Result<Rect> JpegDecoder::decode(const Rect& window, int denominator, bool to_the_end, Image& out) {
  Rect covers;
  const bool started = session_.run([&](jpeg_decompress_struct& info) {
    start(info, denominator);
    covers = narrow_columns(info, window);
    jpeg_skip_scanlines(&info, to_dimension(window.top));
  });
  if (!started) return tl::unexpected(session_.failure());

  out.resize(covers.size());
  const bool cmyk = is_cmyk(session_.info());
  if (cmyk || to_the_end) rows_.reserve(session_.info().output_width * std::size_t{cmyk_channels});
  const bool read = session_.run([&](jpeg_decompress_struct& info) {
    if (cmyk) {
      read_cmyk_rows(info, rows_.data(), out);
    } else {
      read_rows(info, out);
    }
    if (to_the_end) read_to_the_end(info, rows_.data());
  });
  if (!read) return tl::unexpected(session_.failure());
  session_.end();
  return covers;
}

}  // namespace stoker
