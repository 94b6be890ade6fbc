#include "idx.hpp"

#include "file_bytes.hpp"
#include <stoker/core/error.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace examples {
namespace {

using stoker::Error;
using stoker::ErrorCode;
using torch::Tensor;

constexpr std::uint8_t unsigned_bytes = 8;
constexpr std::int64_t magic_bytes = 4;
constexpr std::int64_t dimension_bytes = 4;

[[noreturn]] void refuse(ErrorCode code, const std::filesystem::path& file,
                         const std::string& why) {
  throw Error(code, file.string() + ' ' + why);
}

void check_length(const std::filesystem::path& file, const Tensor& bytes, std::int64_t header) {
  if (bytes.numel() >= header) return;
  refuse(ErrorCode::truncated, file,
         "ends after " + std::to_string(bytes.numel()) + " of its header's " +
             std::to_string(header) + " bytes");
}

void check_magic(const std::filesystem::path& file, const Tensor& bytes) {
  check_length(file, bytes, magic_bytes);
  const auto* magic = bytes.data_ptr<std::uint8_t>();
  if (magic[0] == 0x1F && magic[1] == 0x8B) {
    refuse(ErrorCode::unknown_format, file, "is compressed: unpack it with gunzip first");
  }
  if (magic[0] != 0 || magic[1] != 0 || magic[3] == 0) {
    refuse(ErrorCode::unknown_format, file, "does not begin as an IDX file does");
  }
  if (magic[2] != unsigned_bytes) {
    refuse(ErrorCode::unsupported, file,
           "has elements of type " + std::to_string(magic[2]) +
               "; only type 8, unsigned bytes, is read");
  }
}

std::int64_t header_bytes(const Tensor& bytes) {
  return magic_bytes + dimension_bytes * bytes.data_ptr<std::uint8_t>()[3];
}

std::vector<std::int64_t> read_shape(const Tensor& bytes) {
  const auto* data = bytes.data_ptr<std::uint8_t>();
  std::vector<std::int64_t> shape;
  for (const auto* at = data + magic_bytes; at < data + header_bytes(bytes);
       at += dimension_bytes) {
    shape.push_back(std::int64_t{at[0]} << 24 | at[1] << 16 | at[2] << 8 | at[3]);
  }
  return shape;
}

/// Elements of a shape; the most that there can be where a header lies beyond that.
std::int64_t elements_of(const std::vector<std::int64_t>& shape) {
  std::int64_t elements = 1;
  for (const std::int64_t dimension : shape) {
    if (__builtin_mul_overflow(elements, dimension, &elements)) {
      return std::numeric_limits<std::int64_t>::max();
    }
  }
  return elements;
}

std::string text_of(const std::vector<std::int64_t>& shape) {
  std::string text;
  for (const std::int64_t dimension : shape) {
    text += (text.empty() ? "" : ", ") + std::to_string(dimension);
  }
  return '[' + text + ']';
}

}  // namespace

Tensor read_idx(const std::filesystem::path& file) {
  const Tensor bytes = read_bytes(file);
  check_magic(file, bytes);
  const std::int64_t header = header_bytes(bytes);
  check_length(file, bytes, header);
  const std::vector<std::int64_t> shape = read_shape(bytes);
  const std::int64_t rest = bytes.numel() - header;
  const std::int64_t elements = elements_of(shape);
  if (rest != elements) {
    refuse(
        rest < elements ? ErrorCode::truncated : ErrorCode::corrupt, file,
        "has " + std::to_string(rest) + " bytes behind its header, which says " + text_of(shape));
  }
  return bytes.narrow(0, header, elements).view(shape);
}

void write_idx(const std::filesystem::path& file, const Tensor& tensor) {
  std::vector<std::uint8_t> header{0, 0, unsigned_bytes, static_cast<std::uint8_t>(tensor.dim())};
  for (const std::int64_t dimension : tensor.sizes()) {
    for (const int shift : {24, 16, 8, 0}) {
      header.push_back(static_cast<std::uint8_t>(dimension >> shift));
    }
  }
  write_bytes(file, header, tensor.contiguous());
}

}  // namespace examples
