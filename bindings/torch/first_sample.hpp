#pragma once

#include "bindings/torch/tensor_producer.hpp"
#include <stoker/torch/sample_source.hpp>

#include <cstddef>
#include <memory>
#include <span>

namespace stoker::torch {

/// Reads samples on this thread, to learn what they are like, until one can be read. What those
/// before it threw is thrown again where they are due first.
/// @throws where none can be read what the first one throws, as Error with its index;
/// Error(invalid_argument) for an index that the data set does not have.
std::shared_ptr<const TensorProducer> learn_samples(const SampleSource& source,
                                                    std::span<const std::size_t> candidates);

}  // namespace stoker::torch
