#pragma once

#include "labelled_images.hpp"

#include <filesystem>
#include <iosfwd>

namespace examples {

/// Reads CIFAR-10's binary files from a folder: data_batch_1.bin to data_batch_5.bin for training,
/// test_batch.bin for testing. A file is a row of records of 3073 bytes: the label, then the red,
/// the green and the blue plane of an image. Images are [N, 3, 32, 32].
/// @throws stoker::Error that names the file: not_found, io_error, truncated where it ends within a
/// record or has none, corrupt for a label of 10 or more.
LabelledImages read_cifar10(const std::filesystem::path& folder, Split split);

/// Writes such files; training images are spread over the five as evenly as can be.
void write_cifar10(const std::filesystem::path& folder, Split split, const LabelledImages& data);

/// Makes a folder of CIFAR-10's files that hold drawn shapes, easier than photos, so that an
/// example runs where no data are at hand.
void make_cifar10(const std::filesystem::path& folder, std::int64_t train_images = 4096,
                  std::int64_t test_images = 1024);

/// Makes such a folder where none of the files are there. Tells `out` whether the shapes are drawn.
void make_cifar10_where_missing(const std::filesystem::path& folder, std::ostream& out);

}  // namespace examples
