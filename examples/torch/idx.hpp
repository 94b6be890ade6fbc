#pragma once

#include <torch/types.h>

#include <filesystem>

namespace examples {

/// Reads a file in IDX format, as MNIST and its kin come in (uncompressed): uint8 of the shape that
/// the file says. The format: two zero bytes, the element type (8: unsigned bytes), the number of
/// dimensions, each dimension as a 32-bit big-endian number, the elements in row-major order.
/// @throws stoker::Error that names the file: not_found, io_error, unknown_format, unsupported for
/// other element types, truncated, corrupt where bytes are left over.
torch::Tensor read_idx(const std::filesystem::path& file);

/// Writes uint8 of 1 to 255 dimensions. @throws stoker::Error(io_error)
void write_idx(const std::filesystem::path& file, const torch::Tensor& tensor);

}  // namespace examples
