#pragma once

#include <stoker/decoders/decoder.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace stoker::test {

using File = std::vector<std::byte>;

/// The files of tests/data/jpegs.
std::filesystem::path data_folder();
/// Reads a file; a bare name is one of that folder.
File read_file(const std::filesystem::path& name);

/// What expected.json says of a file: digests of the pixels that decoders may give.
struct Expected {
  std::string name;
  std::vector<std::string> digests;  ///< as stored; none: the file must be refused
  std::string upright_digest;        ///< turned as EXIF says, where that was written down
};
/// All files that `folder`/expected.json names.
std::vector<Expected> read_expected(const std::filesystem::path& folder);

/// SHA-256 in hexadecimal.
std::string digest(std::span<const std::byte> bytes);
std::string digest(const Image& image);

Rect whole(Size size);

/// Opens and decodes the whole image into `out`.
Status decode_whole(Decoder& decoder, const File& file, const DecodeOptions& options, Image& out,
                    int denominator = 1);
/// Opens and decodes a window.
Result<DecodedWindow> decode_window(Decoder& decoder, const File& file, const Rect& window,
                                    const DecodeOptions& options, Image& out, int denominator = 1);
/// The pixels of an image at 1/denominator of its size that `window` of the full image touches.
Rect scaled(const Rect& window, int denominator);

/// Checks that what was decoded holds `window` of the scaled image and is the same there as in
/// `full`, the whole image at that scale.
testing::AssertionResult same_pixels(const Image& full, const Image& decoded,
                                     const DecodedWindow& about, const Rect& window);

/// The failure's code, or nothing for a success.
template <class T>
std::optional<ErrorCode> code_of(const Result<T>& result) {
  if (result) return std::nullopt;
  return result.error().code;
}

}  // namespace stoker::test
