#pragma once

#include "labelled_images.hpp"

#include <filesystem>
#include <iosfwd>

namespace examples {

/// Reads MNIST's files, or those of a data set made like it, from a folder that has them unpacked:
/// train-images-idx3-ubyte, train-labels-idx1-ubyte, t10k-images-idx3-ubyte,
/// t10k-labels-idx1-ubyte. Images are [N, 1, H, W], of ten classes.
/// @throws stoker::Error as read_idx does; corrupt where images and labels do not fit together.
LabelledImages read_mnist(const std::filesystem::path& folder, Split split);

/// Writes such files, of images [N, 1, H, W].
void write_mnist(const std::filesystem::path& folder, Split split, const LabelledImages& data);

/// Makes a folder of MNIST's files that hold drawn digits, easier than written ones, so that an
/// example runs where no data are at hand.
void make_mnist(const std::filesystem::path& folder, std::int64_t train_images = 4096,
                std::int64_t test_images = 1024);

/// Makes such a folder where none of the files are there. Tells `out` whether the digits are drawn.
void make_mnist_where_missing(const std::filesystem::path& folder, std::ostream& out);

}  // namespace examples
