#include "mnist.hpp"

#include "drawn_folder.hpp"
#include "drawn_images.hpp"
#include "file_bytes.hpp"
#include "idx.hpp"
#include <stoker/core/error.hpp>

#include <string>

namespace examples {
namespace {

using torch::Tensor;

struct Files {
  std::filesystem::path images, labels;
};

Files files_of(const std::filesystem::path& folder, Split split) {
  const std::string part = split == Split::train ? "train" : "t10k";
  return {folder / (part + "-images-idx3-ubyte"), folder / (part + "-labels-idx1-ubyte")};
}

std::string text_of(const Tensor& tensor) {
  std::string text;
  for (const std::int64_t size : tensor.sizes()) {
    text += (text.empty() ? "" : ", ") + std::to_string(size);
  }
  return '[' + text + ']';
}

}  // namespace

LabelledImages read_mnist(const std::filesystem::path& folder, Split split) {
  const Files files = files_of(folder, split);
  const Tensor images = read_idx(files.images);
  const Tensor labels = read_idx(files.labels);
  if (images.dim() != 3 || labels.dim() != 1 || images.size(0) != labels.size(0)) {
    throw stoker::Error(stoker::ErrorCode::corrupt,
                        files.images.string() + " holds " + text_of(images) + " and " +
                            files.labels.string() + ' ' + text_of(labels) +
                            "; images are [N, H, W] and labels [N]");
  }
  LabelledImages data{images.unsqueeze(1), labels.to(torch::kInt64)};
  check_labels(data.labels, 10, files.labels);
  return data;
}

void write_mnist(const std::filesystem::path& folder, Split split, const LabelledImages& data) {
  std::filesystem::create_directories(folder);
  const Files files = files_of(folder, split);
  write_idx(files.images, data.images.squeeze(1));
  write_idx(files.labels, data.labels.to(torch::kUInt8));
}

void make_mnist(const std::filesystem::path& folder, std::int64_t train_images,
                std::int64_t test_images) {
  write_mnist(folder, Split::train, draw_digits(train_images, 1));
  write_mnist(folder, Split::test, draw_digits(test_images, 2));
}

void make_mnist_where_missing(const std::filesystem::path& folder, std::ostream& out) {
  DrawnSet set{"MNIST", "digits", {}, [&] { make_mnist(folder); }};
  for (const Split split : {Split::train, Split::test}) {
    const Files files = files_of(folder, split);
    set.files.insert(set.files.end(), {files.images, files.labels});
  }
  draw_where_missing(folder, set, out);
}

}  // namespace examples
