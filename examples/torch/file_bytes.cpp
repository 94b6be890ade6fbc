#include "file_bytes.hpp"

#include <stoker/core/error.hpp>

#include <fstream>

namespace examples {

using stoker::Error;
using stoker::ErrorCode;
using torch::Tensor;

Tensor read_bytes(const std::filesystem::path& file) {
  if (!std::filesystem::is_regular_file(file)) {
    throw Error(ErrorCode::not_found, file.string() + " is no file");
  }
  Tensor bytes =
      torch::empty({static_cast<std::int64_t>(std::filesystem::file_size(file))}, torch::kUInt8);
  std::ifstream stream(file, std::ios::binary);
  if (!stream.read(static_cast<char*>(bytes.data_ptr()), bytes.numel())) {
    throw Error(ErrorCode::io_error, "cannot read " + file.string());
  }
  return bytes;
}

void write_bytes(const std::filesystem::path& file, std::span<const std::uint8_t> header,
                 const Tensor& bytes) {
  std::ofstream stream(file, std::ios::binary);
  stream.write(reinterpret_cast<const char*>(header.data()), std::ssize(header));
  stream.write(static_cast<const char*>(bytes.data_ptr()), bytes.numel());
  if (!stream.flush()) throw Error(ErrorCode::io_error, "cannot write " + file.string());
}

void check_labels(const Tensor& labels, std::int64_t classes, const std::filesystem::path& file) {
  const Tensor wrong = labels.lt(0).logical_or(labels.ge(classes)).nonzero();
  if (wrong.numel() == 0) return;
  const auto sample = wrong[0][0].item<std::int64_t>();
  throw Error(ErrorCode::corrupt, file.string() + ": sample " + std::to_string(sample) +
                                      " has the label " +
                                      std::to_string(labels[sample].item<std::int64_t>()) +
                                      ", but there are " + std::to_string(classes) + " classes");
}

}  // namespace examples
