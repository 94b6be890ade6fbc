#include "bench/device_feed/bare_decoders.hpp"

#include "bench/jpeg_decompressor.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <stop_token>

namespace stoker::bench {
namespace {

std::vector<EncodedSample> read_all(const Source& photos, std::uint64_t most) {
  std::vector<EncodedSample> all(std::min(photos.size(), most));
  JpegDecompressor probe;
  for (std::uint64_t i = 0; i < all.size(); ++i) {
    if (!photos.read(i, all[i]) || !probe.open(all[i].bytes)) {
      throw std::runtime_error("a photo cannot be decoded: " + photos.name(i));
    }
  }
  return all;
}

void decode_until(const std::stop_token& stop, const std::vector<EncodedSample>& photos,
                  std::size_t first) {
  JpegDecompressor decompressor;
  for (std::size_t i = first; !stop.stop_requested(); ++i) {
    const Size size = decompressor.open(photos[i % photos.size()].bytes).value();
    decompressor.decode({0, 0, size.height, size.width});
  }
}

}  // namespace

BareDecoders::BareDecoders(const Source& photos, int num_threads) {
  constexpr std::uint64_t enough = 256;
  auto samples = std::make_shared<const std::vector<EncodedSample>>(read_all(photos, enough));
  for (int i = 0; i < num_threads; ++i) {
    threads_.emplace_back([samples, i](const std::stop_token& stop) {
      decode_until(stop, *samples, static_cast<std::size_t>(i));
    });
  }
}

}  // namespace stoker::bench
