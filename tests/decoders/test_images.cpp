#include "tests/decoders/test_images.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <openssl/sha.h>

#include <array>
#include <cstring>
#include <fstream>
#include <stdexcept>

namespace stoker::test {

std::filesystem::path data_folder() { return std::filesystem::path(STOKER_TEST_DATA) / "jpegs"; }

File read_file(const std::filesystem::path& name) {
  const std::filesystem::path path = data_folder() / name;
  File file(std::filesystem::file_size(path));
  std::ifstream stream(path, std::ios::binary);
  stream.read(reinterpret_cast<char*>(file.data()), static_cast<std::streamsize>(file.size()));
  if (!stream) throw std::runtime_error("cannot read " + path.string());
  return file;
}

std::vector<Expected> read_expected(const std::filesystem::path& folder) {
  std::ifstream stream(folder / "expected.json");
  std::vector<Expected> all;
  const nlohmann::json json = nlohmann::json::parse(stream);
  for (const auto& [name, about] : json.at("files").items()) {
    Expected expected{name, {}, about.value("upright_rgb_sha256", "")};
    for (const char* key : {"pil_rgb_sha256", "tv_rgb_sha256"}) {
      if (about.contains(key)) expected.digests.push_back(about.at(key));
    }
    all.push_back(std::move(expected));
  }
  return all;
}

std::string digest(std::span<const std::byte> bytes) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> hash;
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), hash.data());
  std::string text;
  for (const unsigned char byte : hash) text += fmt::format("{:02x}", byte);
  return text;
}

std::string digest(const Image& image) {
  return digest(std::as_bytes(std::span(image.data(), image.bytes())));
}

Rect whole(Size size) { return {0, 0, size.height, size.width}; }

Status decode_whole(Decoder& decoder, const File& file, const DecodeOptions& options, Image& out,
                    int denominator) {
  const Result<Size> size = decoder.open(file, options);
  if (!size) return tl::unexpected(size.error());
  const Result<DecodedWindow> decoded = decoder.decode(whole(*size), denominator, out);
  if (!decoded) return tl::unexpected(decoded.error());
  return {};
}

Result<DecodedWindow> decode_window(Decoder& decoder, const File& file, const Rect& window,
                                    const DecodeOptions& options, Image& out, int denominator) {
  const Result<Size> size = decoder.open(file, options);
  if (!size) return tl::unexpected(size.error());
  return decoder.decode(window, denominator, out);
}

Rect scaled(const Rect& window, int denominator) {
  const int top = window.top / denominator;
  const int left = window.left / denominator;
  return {top, left, (window.bottom() + denominator - 1) / denominator - top,
          (window.right() + denominator - 1) / denominator - left};
}

testing::AssertionResult same_pixels(const Image& full, const Image& decoded,
                                     const DecodedWindow& about, const Rect& window) {
  const Rect& covers = about.covers;
  const auto say = [&](const std::string& what) {
    return testing::AssertionFailure()
           << fmt::format("window top {} left {} height {} width {}: {}", window.top, window.left,
                          window.height, window.width, what);
  };
  if (about.scaled != full.size()) return say("another scaled size");
  if (decoded.size() != covers.size()) return say("the image has not the size that it says");
  const Rect inner{window.top - covers.top, window.left - covers.left, window.height, window.width};
  if (!inner.inside(covers.size())) return say("the image does not hold the window");
  for (int y = 0; y < window.height; ++y) {
    const std::uint8_t* got = decoded.view().window(inner).row(y);
    const std::uint8_t* wanted = full.view().window(window).row(y);
    if (std::memcmp(got, wanted, static_cast<std::size_t>(window.width) * Image::channels) != 0) {
      return say(fmt::format("row {} differs", y));
    }
  }
  return testing::AssertionSuccess();
}

}  // namespace stoker::test
