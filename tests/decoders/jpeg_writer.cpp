#include "tests/decoders/jpeg_writer.hpp"

#include <cstdio>
#include <fmt/format.h>
#include <jpeglib.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <random>

namespace stoker::test {
namespace {

std::vector<std::uint8_t> noise_row(const JpegRecipe& recipe, std::mt19937& random) {
  std::vector<std::uint8_t> row(static_cast<std::size_t>(recipe.size.width * recipe.components));
  std::ranges::generate(row, [&] { return static_cast<std::uint8_t>(random() >> 24); });
  return row;
}

void set_up(jpeg_compress_struct& info, const JpegRecipe& recipe) {
  constexpr std::array<J_COLOR_SPACE, 5> given{JCS_UNKNOWN, JCS_GRAYSCALE, JCS_UNKNOWN, JCS_RGB,
                                               JCS_CMYK};
  info.image_width = static_cast<JDIMENSION>(recipe.size.width);
  info.image_height = static_cast<JDIMENSION>(recipe.size.height);
  info.input_components = recipe.components;
  info.in_color_space = given.at(static_cast<std::size_t>(recipe.components));
  jpeg_set_defaults(&info);
  if (recipe.components == 4) jpeg_set_colorspace(&info, JCS_YCCK);
  jpeg_set_quality(&info, recipe.quality, TRUE);
  for (int i = 0; i < recipe.components; ++i) {
    info.comp_info[i].h_samp_factor = recipe.sampling.at(static_cast<std::size_t>(i)).horizontal;
    info.comp_info[i].v_samp_factor = recipe.sampling.at(static_cast<std::size_t>(i)).vertical;
  }
  info.arith_code = recipe.arithmetic ? TRUE : FALSE;
  info.restart_in_rows = recipe.restart_rows;
}

std::vector<jpeg_scan_info> one_scan_each(int components) {
  std::vector<jpeg_scan_info> scans(static_cast<std::size_t>(components));
  for (int i = 0; i < components; ++i) {
    jpeg_scan_info& scan = scans[static_cast<std::size_t>(i)];
    scan = {};
    scan.comps_in_scan = 1;
    scan.component_index[0] = i;
    scan.Se = DCTSIZE2 - 1;
  }
  return scans;
}

}  // namespace

std::string JpegRecipe::text() const {
  std::string factors;
  for (int i = 0; i < components; ++i) {
    const Sampling& s = sampling.at(static_cast<std::size_t>(i));
    factors += fmt::format(" {}x{}", s.horizontal, s.vertical);
  }
  return fmt::format("{}x{}, sampling{}{}{}{}, restart rows {}", size.width, size.height, factors,
                     progressive ? ", progressive" : "", interleaved ? "" : ", a scan each",
                     arithmetic ? ", arithmetic" : "", restart_rows);
}

std::vector<std::byte> write_jpeg(const JpegRecipe& recipe) {
  jpeg_error_mgr errors;
  jpeg_compress_struct info;
  info.err = jpeg_std_error(&errors);
  jpeg_CreateCompress(&info, JPEG_LIB_VERSION, sizeof(info));
  unsigned char* data = nullptr;
  unsigned long bytes = 0;
  jpeg_mem_dest(&info, &data, &bytes);
  set_up(info, recipe);
  const std::vector<jpeg_scan_info> scans = one_scan_each(recipe.components);
  if (recipe.progressive) jpeg_simple_progression(&info);
  if (!recipe.progressive && !recipe.interleaved) {
    info.scan_info = scans.data();
    info.num_scans = recipe.components;
  }
  jpeg_start_compress(&info, TRUE);
  std::mt19937 random(recipe.seed);
  for (int y = 0; y < recipe.size.height; ++y) {
    std::vector<std::uint8_t> row = noise_row(recipe, random);
    JSAMPROW pointer = row.data();
    jpeg_write_scanlines(&info, &pointer, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  const auto* first = reinterpret_cast<const std::byte*>(data);
  std::vector<std::byte> file(first, first + bytes);
  std::free(data);
  return file;
}

}  // namespace stoker::test
