#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

/// Where a step of softmax regression finds its batch and its model. All memory is the device's.
struct TrainingStep {
  const float* images = nullptr;         ///< [batch, features]
  const std::int64_t* labels = nullptr;  ///< [batch], from 0 to classes - 1
  const std::uint8_t* valid = nullptr;   ///< [batch]: 1, or 0 where there is no sample
  float* weights = nullptr;              ///< [classes, features + 1]; the last one is the bias
  float* scores = nullptr;               ///< [batch, classes]; holds nothing between steps
  float* losses = nullptr;               ///< [batch]; holds nothing between steps
  double* total_loss = nullptr;          ///< [1]; the batch's losses are added to it
  unsigned batch = 0;
  unsigned features = 0;
  unsigned classes = 0;
  float rate = 0;
};

/// Queues a step of stochastic gradient descent: four kernels, and nothing that a capture forbids.
/// Every sum is added up in an order that is always the same, so equal inputs give equal bits.
cudaError_t launch(const TrainingStep& step, cudaStream_t stream);
