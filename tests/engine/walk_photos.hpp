#pragma once

#include <stoker/device/simulated.hpp>
#include <stoker/engine/loader.hpp>
#include <stoker/sources/memory_source.hpp>

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

namespace stoker::testing {

inline std::vector<std::byte> jpeg(const std::string& name) {
  std::ifstream file(std::string(STOKER_TEST_DATA) + "/jpegs/" + name, std::ios::binary);
  std::vector<std::byte> bytes;
  for (std::istreambuf_iterator<char> c(file), end; c != end; ++c) {
    bytes.push_back(static_cast<std::byte>(*c));
  }
  EXPECT_FALSE(bytes.empty()) << name;
  return bytes;
}

inline MemorySource photos(const std::vector<std::string>& names) {
  std::vector<MemorySample> samples;
  std::int64_t label = 100;
  for (const std::string& name : names) samples.push_back({name, jpeg(name), label++});
  return MemorySource(std::move(samples));
}

inline MemorySource photos() {
  return photos({"var_420.jpg", "var_444.jpg", "var_411.jpg", "var_progressive.jpg", "var_q5.jpg",
                 "var_440.jpg", "var_optimized.jpg"});
}

/// All bytes of an epoch as kernels of the consumer see them.
struct Seen {
  std::vector<std::byte> images;
  std::vector<std::int64_t> labels;
  friend bool operator==(const Seen&, const Seen&) = default;
};

/// Walks epoch 1 on a simulated device that runs as late and out of step as `seed` says.
inline Seen walk(const Source& source, const std::string& pipeline, LoaderOptions options,
                 std::uint64_t seed, const std::function<void(const Stats&)>& on_end = {}) {
  const auto device = simulated(seed, {.progress = 0.2});
  options.device = device;
  options.stream = device->create_stream();
  Seen seen;
  {
    Loader loader(source, Pipeline::parse(pipeline), options);
    for (const Batch& batch : loader.epoch(1, true)) {
      const TensorView images = batch["image"], labels = batch["label"];
      device->launch(options.stream, [images, labels, &seen] {
        const auto* first = images.as<std::byte>();
        seen.images.insert(seen.images.end(), first, first + images.bytes());
        const auto* label = labels.as<std::int64_t>();
        seen.labels.insert(seen.labels.end(), label, label + labels.shape.elements());
      });
    }
    device->synchronize();
    if (on_end) on_end(loader.stats());
  }
  device->destroy_stream(options.stream);
  EXPECT_EQ(device->leaks().text(), "nothing");
  return seen;
}

}  // namespace stoker::testing
