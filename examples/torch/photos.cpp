#include "photos.hpp"

#include <stoker/stoker.hpp>

#include <cstdio>
#include <jpeglib.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace examples {
namespace {

/// Encodes uint8 [3, H, W].
std::vector<std::byte> encode(const torch::Tensor& image) {
  const torch::Tensor pixels = image.permute({1, 2, 0}).contiguous();
  jpeg_compress_struct jpeg{};
  jpeg_error_mgr errors{};
  jpeg.err = jpeg_std_error(&errors);
  jpeg_create_compress(&jpeg);
  unsigned char* data = nullptr;
  unsigned long bytes = 0;
  jpeg_mem_dest(&jpeg, &data, &bytes);
  jpeg.image_height = static_cast<JDIMENSION>(pixels.size(0));
  jpeg.image_width = static_cast<JDIMENSION>(pixels.size(1));
  jpeg.input_components = 3;
  jpeg.in_color_space = JCS_RGB;
  jpeg_set_defaults(&jpeg);
  jpeg_start_compress(&jpeg, TRUE);
  while (jpeg.next_scanline < jpeg.image_height) {
    JSAMPROW row = pixels[jpeg.next_scanline].data_ptr<std::uint8_t>();
    jpeg_write_scanlines(&jpeg, &row, 1);
  }
  jpeg_finish_compress(&jpeg);
  jpeg_destroy_compress(&jpeg);
  const auto* first = reinterpret_cast<const std::byte*>(data);
  std::vector<std::byte> encoded(first, first + bytes);
  std::free(data);
  return encoded;
}

/// True also where the folder cannot be read, of which the source tells.
bool has_folders(const std::filesystem::path& folder) {
  std::error_code error;
  const std::filesystem::directory_iterator entries(folder, error);
  if (error) return true;
  return std::any_of(begin(entries), end(entries),
                     [](const auto& entry) { return entry.is_directory(); });
}

stoker::Pipeline finish(c10::Device device) {
  return stoker::normalize(stoker::imagenet_statistics) |
         stoker::to(device.is_cuda() ? stoker::DType::bfloat16 : stoker::DType::float32,
                    stoker::Layout::NHWC);
}

}  // namespace

Photos open_photos(const std::filesystem::path& folder) {
  if (!has_folders(folder)) return {std::make_shared<stoker::FlatFolder>(folder), 1000};
  auto photos = std::make_shared<stoker::ImageFolder>(folder);
  const auto classes = static_cast<std::int64_t>(photos->classes().size());
  return {std::move(photos), classes};
}

Photos as_photos(const LabelledImages& images) {
  std::vector<stoker::MemorySample> samples;
  for (std::int64_t i = 0; i < images.labels.size(0); ++i) {
    samples.push_back({"photo " + std::to_string(i), encode(images.images[i]),
                       images.labels[i].item<std::int64_t>()});
  }
  return {std::make_shared<stoker::MemorySource>(std::move(samples)), 10};
}

stoker::Pipeline training_pipeline(int crop, c10::Device device) {
  return stoker::decode() | stoker::random_resized_crop(crop) | stoker::random_horizontal_flip() |
         finish(device);
}

stoker::Pipeline test_pipeline(int crop, c10::Device device) {
  return stoker::decode() | stoker::resize(crop * 8 / 7) | stoker::center_crop(crop) |
         finish(device);
}

}  // namespace examples
