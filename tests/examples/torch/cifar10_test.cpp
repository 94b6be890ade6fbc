#include "examples/torch/cifar10.hpp"

#include "tests/sources/expect_error.hpp"
#include "tests/sources/temporary_folder.hpp"

#include <gmock/gmock.h>

#include <string>

namespace examples {
namespace {

using stoker::ErrorCode;
using ::testing::AllOf;
using ::testing::HasSubstr;

LabelledImages some_images(std::int64_t count) {
  return {torch::randint(256, {count, 3, 32, 32}, torch::kUInt8),
          torch::arange(count).remainder(10)};
}

std::string record(char label) { return label + std::string(3072, 'x'); }

std::string error_of(const stoker::TemporaryFolder& folder, Split split, ErrorCode code) {
  return stoker::message_of_error(code, [&] { read_cifar10(folder.path(), split); });
}

TEST(Cifar10, ReadsRecordsOfALabelAndThreePlanes) {
  const stoker::TemporaryFolder folder;
  folder.write("test_batch.bin", record(0) + '\7' + std::string(1024, 'r') +
                                     std::string(1024, 'g') + std::string(1023, 'b') + 'c');
  const LabelledImages data = read_cifar10(folder.path(), Split::test);
  EXPECT_EQ(data.images.sizes(), (std::vector<std::int64_t>{2, 3, 32, 32}));
  EXPECT_EQ(data.labels.scalar_type(), torch::kInt64);
  EXPECT_EQ(data.labels[1].item<int>(), 7);
  EXPECT_EQ(data.images[1][0][31][31].item<int>(), 'r');
  EXPECT_EQ(data.images[1][1][0][0].item<int>(), 'g');
  EXPECT_EQ(data.images[1][2][31][30].item<int>(), 'b');
  EXPECT_EQ(data.images[1][2][31][31].item<int>(), 'c');
}

TEST(Cifar10, ReadsTheTrainingFilesInOrder) {
  const stoker::TemporaryFolder folder;
  const LabelledImages data = some_images(23);
  write_cifar10(folder.path(), Split::train, data);
  const LabelledImages read = read_cifar10(folder.path(), Split::train);
  EXPECT_TRUE(read.images.equal(data.images));
  EXPECT_TRUE(read.labels.equal(data.labels));
  EXPECT_EQ(std::filesystem::file_size(folder / "data_batch_5.bin"), 4U * 3073);
}

TEST(Cifar10, SaysWhichFileIsMissing) {
  const stoker::TemporaryFolder folder;
  EXPECT_THAT(error_of(folder, Split::test, ErrorCode::not_found), HasSubstr("test_batch.bin"));
  write_cifar10(folder.path(), Split::train, some_images(10));
  std::filesystem::remove(folder / "data_batch_4.bin");
  EXPECT_THAT(error_of(folder, Split::train, ErrorCode::not_found), HasSubstr("data_batch_4.bin"));
}

TEST(Cifar10, RefusesATruncatedFile) {
  const stoker::TemporaryFolder folder;
  folder.write("test_batch.bin", record(1) + record(2).substr(1));
  EXPECT_THAT(error_of(folder, Split::test, ErrorCode::truncated),
              AllOf(HasSubstr("test_batch.bin"), HasSubstr("6145 bytes")));
  folder.write("test_batch.bin", "");
  EXPECT_THAT(error_of(folder, Split::test, ErrorCode::truncated), HasSubstr("0 bytes"));
}

TEST(Cifar10, NamesALabelThatIsNone) {
  const stoker::TemporaryFolder folder;
  folder.write("test_batch.bin", record(9) + record(10));
  EXPECT_THAT(error_of(folder, Split::test, ErrorCode::corrupt),
              AllOf(HasSubstr("test_batch.bin"), HasSubstr("sample 1"), HasSubstr("label 10")));
}

TEST(Cifar10, MakesDataThatAreReadLikeTheRealOnes) {
  const stoker::TemporaryFolder folder;
  make_cifar10(folder / "made", 50, 20);
  EXPECT_EQ(read_cifar10(folder / "made", Split::train).images.sizes(),
            (std::vector<std::int64_t>{50, 3, 32, 32}));
  EXPECT_EQ(read_cifar10(folder / "made", Split::test).labels.sizes(),
            (std::vector<std::int64_t>{20}));
}

}  // namespace
}  // namespace examples
