#include "examples/torch/mnist.hpp"

#include "examples/torch/idx.hpp"
#include "examples/torch/image_dataset.hpp"
#include "tests/sources/expect_error.hpp"
#include "tests/sources/temporary_folder.hpp"

#include <gmock/gmock.h>

#include <string>

namespace examples {
namespace {

using stoker::ErrorCode;
using ::testing::AllOf;
using ::testing::HasSubstr;
using torch::Tensor;

LabelledImages some_images(std::int64_t count) {
  return {torch::randint(256, {count, 1, 28, 28}, torch::kUInt8),
          torch::arange(count).remainder(10)};
}

std::string error_of(const stoker::TemporaryFolder& folder, ErrorCode code) {
  return stoker::message_of_error(code, [&] { read_mnist(folder.path(), Split::train); });
}

TEST(Mnist, ReadsEachPartFromItsOwnFiles) {
  const stoker::TemporaryFolder folder;
  const LabelledImages train = some_images(30);
  const LabelledImages test = some_images(20);
  write_mnist(folder.path(), Split::train, train);
  write_mnist(folder.path(), Split::test, test);
  const LabelledImages read = read_mnist(folder.path(), Split::train);
  EXPECT_TRUE(read.images.equal(train.images));
  EXPECT_TRUE(read.labels.equal(train.labels));
  EXPECT_EQ(read.labels.scalar_type(), torch::kInt64);
  EXPECT_TRUE(read_mnist(folder.path(), Split::test).images.equal(test.images));
}

TEST(Mnist, SaysWhichFileIsMissing) {
  const stoker::TemporaryFolder folder;
  EXPECT_THAT(error_of(folder, ErrorCode::not_found), HasSubstr("train-images-idx3-ubyte"));
  write_mnist(folder.path(), Split::train, some_images(1));
  std::filesystem::remove(folder / "train-labels-idx1-ubyte");
  EXPECT_THAT(error_of(folder, ErrorCode::not_found), HasSubstr("train-labels-idx1-ubyte"));
}

TEST(Mnist, RefusesFilesThatDoNotFitTogether) {
  const stoker::TemporaryFolder folder;
  write_mnist(folder.path(), Split::train, some_images(3));
  write_idx(folder / "train-labels-idx1-ubyte", torch::zeros({2}, torch::kUInt8));
  EXPECT_THAT(error_of(folder, ErrorCode::corrupt),
              AllOf(HasSubstr("[3, 28, 28]"), HasSubstr("[2]")));
  write_idx(folder / "train-labels-idx1-ubyte", torch::zeros({3, 1}, torch::kUInt8));
  error_of(folder, ErrorCode::corrupt);
  write_idx(folder / "train-labels-idx1-ubyte", torch::zeros({3}, torch::kUInt8));
  write_idx(folder / "train-images-idx3-ubyte", torch::zeros({3, 784}, torch::kUInt8));
  error_of(folder, ErrorCode::corrupt);
}

TEST(Mnist, NamesALabelThatIsNone) {
  const stoker::TemporaryFolder folder;
  LabelledImages data = some_images(5);
  data.labels[3] = 10;
  write_mnist(folder.path(), Split::train, data);
  EXPECT_THAT(error_of(folder, ErrorCode::corrupt),
              AllOf(HasSubstr("sample 3"), HasSubstr("label 10")));
}

TEST(Mnist, MakesDataThatAreReadLikeTheRealOnes) {
  const stoker::TemporaryFolder folder;
  make_mnist(folder / "made", 50, 20);
  EXPECT_EQ(read_mnist(folder / "made", Split::train).images.sizes(),
            (std::vector<std::int64_t>{50, 1, 28, 28}));
  EXPECT_EQ(read_mnist(folder / "made", Split::test).labels.sizes(),
            (std::vector<std::int64_t>{20}));
}

TEST(ImageDataset, GivesFloatsFromZeroToOne) {
  LabelledImages data = some_images(3);
  data.images[2][0][4][5] = 255;
  ImageDataset dataset(data);
  EXPECT_EQ(*dataset.size(), 3U);
  const auto sample = dataset.get(2);
  EXPECT_EQ(sample.data.scalar_type(), torch::kFloat32);
  EXPECT_EQ(sample.data.sizes(), (std::vector<std::int64_t>{1, 28, 28}));
  EXPECT_EQ(sample.data[0][4][5].item<float>(), 1.0F);
  EXPECT_EQ(sample.target.item<std::int64_t>(), 2);
  EXPECT_EQ(data.images[2][0][4][5].item<int>(), 255);
}

}  // namespace
}  // namespace examples
