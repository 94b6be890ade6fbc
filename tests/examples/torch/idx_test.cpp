#include "examples/torch/idx.hpp"

#include "tests/sources/expect_error.hpp"
#include "tests/sources/temporary_folder.hpp"

#include <gmock/gmock.h>

#include <string>
#include <string_view>

namespace examples {
namespace {

using namespace std::string_view_literals;
using stoker::ErrorCode;
using ::testing::AllOf;
using ::testing::HasSubstr;
using torch::Tensor;

/// The message of the error that reading a file of this content throws.
std::string error_of(std::string_view content, ErrorCode code) {
  const stoker::TemporaryFolder folder;
  const auto file = folder.write("file", content);
  const std::string message = stoker::message_of_error(code, [&] { read_idx(file); });
  EXPECT_THAT(message, HasSubstr(file.string()));
  return message;
}

TEST(Idx, ReadsShapeAndElements) {
  const stoker::TemporaryFolder folder;
  const auto file = folder.write("file", "\0\0\x8\2\0\0\0\2\0\0\0\3abcdef"sv);
  const Tensor tensor = read_idx(file);
  EXPECT_EQ(tensor.sizes(), (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(tensor.scalar_type(), torch::kUInt8);
  EXPECT_EQ(tensor[1][2].item<int>(), 'f');
}

TEST(Idx, ReadsDimensionsFromTheHighestByteOn) {
  const stoker::TemporaryFolder folder;
  const std::string elements(0x0102, 'x');
  const auto file = folder.write("file", std::string("\0\0\x8\1\0\0\1\2"sv) + elements);
  EXPECT_EQ(read_idx(file).sizes(), (std::vector<std::int64_t>{0x0102}));
}

TEST(Idx, ReadsWhatItWrites) {
  const stoker::TemporaryFolder folder;
  const Tensor tensor = torch::randint(256, {3, 300, 2}, torch::kUInt8);
  write_idx(folder / "file", tensor);
  EXPECT_TRUE(read_idx(folder / "file").equal(tensor));
  // Of a view, the elements that it shows.
  write_idx(folder / "file", tensor.transpose(0, 1));
  EXPECT_TRUE(read_idx(folder / "file").equal(tensor.transpose(0, 1)));
}

TEST(Idx, ReadsATensorWithoutElements) {
  const stoker::TemporaryFolder folder;
  const auto file = folder.write("file", "\0\0\x8\2\0\0\0\0\0\0\0\3"sv);
  EXPECT_EQ(read_idx(file).sizes(), (std::vector<std::int64_t>{0, 3}));
}

TEST(Idx, NamesAMissingFile) {
  const stoker::TemporaryFolder folder;
  EXPECT_THAT(stoker::message_of_error(ErrorCode::not_found, [&] { read_idx(folder / "none"); }),
              HasSubstr("none"));
  EXPECT_THAT(stoker::message_of_error(ErrorCode::not_found, [&] { read_idx(folder.path()); }),
              HasSubstr(folder.path().string()));
}

TEST(Idx, RefusesOtherFormats) {
  error_of("", ErrorCode::truncated);
  error_of("\0\0\x8"sv, ErrorCode::truncated);
  error_of("\x89PNG\r\n", ErrorCode::unknown_format);
  error_of("\0\1\x8\1\0\0\0\0"sv, ErrorCode::unknown_format);
  error_of("\0\0\x8\0"sv, ErrorCode::unknown_format);
  EXPECT_THAT(error_of("\x1F\x8B\x8\0"sv, ErrorCode::unknown_format), HasSubstr("gunzip"));
  EXPECT_THAT(error_of("\0\0\xD\1\0\0\0\0"sv, ErrorCode::unsupported), HasSubstr("type 13"));
}

TEST(Idx, SaysHowATruncatedFileEnds) {
  EXPECT_THAT(error_of("\0\0\x8\2\0\0\0\2\0"sv, ErrorCode::truncated),
              HasSubstr("ends after 9 of its header's 12 bytes"));
  EXPECT_THAT(error_of("\0\0\x8\2\0\0\0\2\0\0\0\3abcde"sv, ErrorCode::truncated),
              AllOf(HasSubstr("has 5 bytes"), HasSubstr("[2, 3]")));
}

TEST(Idx, RefusesBytesThatAreLeftOver) {
  EXPECT_THAT(error_of("\0\0\x8\2\0\0\0\2\0\0\0\3abcdefg"sv, ErrorCode::corrupt),
              AllOf(HasSubstr("has 7 bytes"), HasSubstr("[2, 3]")));
}

TEST(Idx, IsNotFooledByDimensionsBeyondAllNumbers) {
  // 2^32 - 1 three times; and 2^32 - 1 by 2^31 by 2, which is no more than -2^32 in 64 bits.
  error_of("\0\0\x8\3\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFFx"sv, ErrorCode::truncated);
  error_of("\0\0\x8\3\xFF\xFF\xFF\xFF\x80\0\0\0\0\0\0\2x"sv, ErrorCode::truncated);
}

}  // namespace
}  // namespace examples
