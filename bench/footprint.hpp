#pragma once

#include <stoker/core/image.hpp>
#include <stoker/core/random.hpp>
#include <stoker/pipeline/pipeline.hpp>

namespace stoker::bench {

/// Returns which pixels of an image a pipeline needs for a sample: what its crops leave, or, where
/// a resize stands between them, what the resize reads. Steps are followed up to one that asks for
/// pixels (one of the user's). Draws the same random numbers as the pipeline itself.
Rect footprint(const Pipeline& pipeline, Size image, const RandomKey& key);

}  // namespace stoker::bench
