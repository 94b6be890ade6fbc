#include "cifar10.hpp"

#include "drawn_folder.hpp"
#include "drawn_images.hpp"
#include "file_bytes.hpp"
#include <stoker/core/error.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace examples {
namespace {

using torch::Tensor;

constexpr std::int64_t image_bytes = 3 * 32 * 32;
constexpr std::int64_t record_bytes = 1 + image_bytes;

std::vector<std::filesystem::path> files_of(const std::filesystem::path& folder, Split split) {
  if (split == Split::test) return {folder / "test_batch.bin"};
  std::vector<std::filesystem::path> files;
  for (int i = 1; i <= 5; ++i)
    files.push_back(folder / ("data_batch_" + std::to_string(i) + ".bin"));
  return files;
}

/// uint8 [N, 3073]
Tensor read_records(const std::filesystem::path& file) {
  const Tensor bytes = read_bytes(file);
  const std::int64_t rest = bytes.numel() % record_bytes;
  if (rest != 0 || bytes.numel() == 0) {
    throw stoker::Error(stoker::ErrorCode::truncated,
                        file.string() + " has " + std::to_string(bytes.numel()) + " bytes, " +
                            (rest != 0 ? "no multiple of a record's " : "less than a record's ") +
                            std::to_string(record_bytes));
  }
  Tensor records = bytes.view({-1, record_bytes});
  check_labels(records.select(1, 0).to(torch::kInt64), 10, file);
  return records;
}

}  // namespace

LabelledImages read_cifar10(const std::filesystem::path& folder, Split split) {
  std::vector<Tensor> parts;
  for (const auto& file : files_of(folder, split)) parts.push_back(read_records(file));
  const Tensor records = torch::cat(parts);
  return {records.narrow(1, 1, image_bytes).reshape({-1, 3, 32, 32}),
          records.select(1, 0).to(torch::kInt64)};
}

void write_cifar10(const std::filesystem::path& folder, Split split, const LabelledImages& data) {
  std::filesystem::create_directories(folder);
  const Tensor records = torch::cat(
      {data.labels.to(torch::kUInt8).unsqueeze(1), data.images.reshape({-1, image_bytes})}, 1);
  const auto files = files_of(folder, split);
  const std::vector<Tensor> parts = torch::tensor_split(records, std::ssize(files));
  for (std::size_t i = 0; i < files.size(); ++i) write_bytes(files[i], {}, parts[i].contiguous());
}

void make_cifar10(const std::filesystem::path& folder, std::int64_t train_images,
                  std::int64_t test_images) {
  write_cifar10(folder, Split::train, draw_shapes(train_images, 1));
  write_cifar10(folder, Split::test, draw_shapes(test_images, 2));
}

void make_cifar10_where_missing(const std::filesystem::path& folder, std::ostream& out) {
  DrawnSet set{"CIFAR-10", "shapes", {}, [&] { make_cifar10(folder); }};
  for (const Split split : {Split::train, Split::test}) {
    for (const auto& file : files_of(folder, split)) set.files.push_back(file);
  }
  draw_where_missing(folder, set, out);
}

}  // namespace examples
