// A decoder is used again and again: what it made of one file must not show in the next.
#include "tests/decoders/test_images.hpp"

#include <gtest/gtest.h>

namespace stoker::test {
namespace {

/// All files of the folder, good and bad, JPEG and others.
std::vector<File> all_files() {
  std::vector<File> files;
  for (const Expected& expected : read_expected(data_folder()))
    files.push_back(read_file(expected.name));
  for (const char* png : {"png_called.JPEG", "png_alpha.png", "png_gray.png"}) {
    files.push_back(read_file(png));
    File cut = files.back();
    cut.resize(cut.size() / 2);
    files.push_back(cut);
  }
  return files;
}

struct Outcome {
  std::optional<ErrorCode> code;
  std::string digest;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome outcome(Decoder& decoder, const File& file) {
  Image image;
  const Status status = decode_whole(decoder, file, {}, image);
  if (!status) return {status.error().code, ""};
  return {std::nullopt, digest(image)};
}

TEST(DecoderReuse, GivesWhatAFreshDecoderGivesAfterAnyOtherFile) {
  const std::vector<File> files = all_files();
  std::vector<Outcome> fresh;
  for (const File& file : files) {
    Decoder decoder;
    fresh.push_back(outcome(decoder, file));
  }
  Decoder used;
  for (std::size_t before = 0; before < files.size(); ++before) {
    for (std::size_t after = 0; after < files.size(); after += 1 + before % 3) {
      (void)outcome(used, files[before]);
      ASSERT_EQ(outcome(used, files[after]), fresh[after])
          << "file " << after << " after " << before;
    }
  }
}

}  // namespace
}  // namespace stoker::test
