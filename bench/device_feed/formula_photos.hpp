#pragma once

#include <stoker/pipeline/pipeline.hpp>
#include <stoker/sources/source.hpp>

#include <cstdint>
#include <memory>

namespace stoker::bench {

/// JPEGs of 480 x 360 pixels in memory, at least `size` in an epoch, drawn by a formula and as
/// costly to decode as photos: work for all workers that no disk slows down.
std::shared_ptr<const Source> formula_photos(std::uint64_t size);

/// What training does with them: random crops of 224 x 224, normalised, float16.
Pipeline photo_pipeline();

}  // namespace stoker::bench
