#pragma once

#include "bindings/torch/tensor_producer.hpp"
#include <stoker/torch/sample_source.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <future>
#include <memory>
#include <vector>

namespace stoker::torch {

/// Learns what samples are like: reads the candidates, one behind the other, until one can be read.
/// What those before it threw is thrown again where they are due first. Used by one thread at a
/// time; its destructor waits for a sample that is being read.
class SampleLearner {
 public:
  using ProducerPtr = std::shared_ptr<const TensorProducer>;

  /// Returns what gathers such samples. With a timeout they are read by another thread, and a call
  /// behind one that timed out waits again for what that one began; 0: on this thread.
  /// @throws where none can be read what the first one throws, as Error with its index;
  /// Error(invalid_argument) for an index that the data set does not have; Error(timeout).
  ProducerPtr learn(const SampleSource& source, std::vector<std::size_t> candidates,
                    std::chrono::milliseconds timeout);

 private:
  ProducerPtr read_one(const SampleSource& source, const std::vector<std::size_t>& candidates);

  std::atomic<std::size_t> reading_{0};  ///< the sample that is being read
  std::future<ProducerPtr> begun_;
};

}  // namespace stoker::torch
