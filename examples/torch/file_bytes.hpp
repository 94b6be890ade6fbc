#pragma once

#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace examples {

/// Reads a whole file as uint8 [bytes].
/// @throws stoker::Error(not_found), stoker::Error(io_error) that name the file.
torch::Tensor read_bytes(const std::filesystem::path& file);

/// Writes a file: the header, then the elements of a contiguous uint8 tensor.
/// @throws stoker::Error(io_error) that names the file.
void write_bytes(const std::filesystem::path& file, std::span<const std::uint8_t> header,
                 const torch::Tensor& bytes);

/// Throws stoker::Error(corrupt) that names the file where a label, int64 [N], is not the number of
/// one of so many classes.
void check_labels(const torch::Tensor& labels, std::int64_t classes,
                  const std::filesystem::path& file);

}  // namespace examples
