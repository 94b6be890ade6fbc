#pragma once

#include "labelled_images.hpp"
#include <stoker/pipeline/pipeline.hpp>
#include <stoker/sources/source.hpp>

#include <c10/core/Device.h>

#include <cstdint>
#include <filesystem>
#include <memory>

namespace examples {

/// Encoded photos, labelled 0 to classes - 1.
struct Photos {
  std::shared_ptr<const stoker::Source> source;
  std::int64_t classes = 0;
};

/// Opens a folder whose subfolders are the classes. One without subfolders is taken as photos of
/// the first one of ImageNet's thousand: enough to measure with.
/// @throws stoker::Error as ImageFolder and FlatFolder.
Photos open_photos(const std::filesystem::path& folder);

/// Encodes images [N, 3, H, W] of ten classes as JPEGs in memory.
Photos as_photos(const LabelledImages& images);

/// What training sees of a photo: a part of any size and place, resized to a square, mirrored or
/// not. Batches are as convolutions want them on `device`: channels_last, on CUDA of bfloat16.
stoker::Pipeline training_pipeline(int crop, c10::Device device);

/// What a trained model sees of a photo: its middle.
stoker::Pipeline test_pipeline(int crop, c10::Device device);

}  // namespace examples
