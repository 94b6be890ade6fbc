#pragma once

#include "bindings/torch/tensor_producer.hpp"
#include <stoker/engine/loader.hpp>
#include <stoker/torch/sample_source.hpp>

#include <cstddef>
#include <memory>
#include <span>

namespace stoker::torch {

/// Reads the first of these samples on this thread, to learn what samples are like: with
/// OnError::skip the first one that can be read.
/// @throws Error with the sample's index, whatever reading it throws; Error(invalid_argument) for
/// an index that the data set does not have.
std::shared_ptr<const TensorProducer> learn_samples(const SampleSource& source,
                                                    std::span<const std::size_t> candidates,
                                                    OnError on_error);

}  // namespace stoker::torch
