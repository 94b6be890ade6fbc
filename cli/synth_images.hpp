#pragma once

#include "cli/photo_spec.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace stoker::cli {

/// Makes JPEGs that cost what photos of ImageNet cost: in bytes, in pixels, in coefficients and so
/// in time to decode. What they show is nothing: surfaces, edges and textures with a photo's
/// spectrum.
class PhotoMaker {
 public:
  /// `quality`: for all photos, rather than each one's own; files then grow or shrink with it.
  explicit PhotoMaker(std::uint64_t seed, std::optional<int> quality = std::nullopt)
      : seed_(seed), quality_(quality) {}

  /// Returns photo `index` as a JPEG file: a pure function of seed, quality and index, the same
  /// bytes with the same libjpeg-turbo. May be called by many threads.
  /// @throws Error(unsupported) where libjpeg fails.
  std::vector<std::byte> make(std::uint64_t index) const;
  /// What photo `index` looks like from outside.
  PhotoSpec spec(std::uint64_t index) const;

 private:
  std::uint64_t seed_;
  std::optional<int> quality_;
};

}  // namespace stoker::cli
