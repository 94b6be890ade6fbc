#include "softmax_regression.hpp"

#include <cstddef>

namespace {

constexpr unsigned threads = 256;  // a block's; a power of two

unsigned blocks_for(unsigned count) { return (count + threads - 1) / threads; }

/// The score of an image (blockIdx.y) for a class (blockIdx.x).
__global__ void score(TrainingStep step) {
  __shared__ float sums[threads];
  const float* image = step.images + std::size_t{blockIdx.y} * step.features;
  const float* weights = step.weights + std::size_t{blockIdx.x} * (step.features + 1);
  float sum = 0;
  for (unsigned i = threadIdx.x; i < step.features; i += threads) sum += weights[i] * image[i];
  sums[threadIdx.x] = sum;
  for (unsigned half = threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  if (threadIdx.x > 0) return;
  step.scores[std::size_t{blockIdx.y} * step.classes + blockIdx.x] =
      sums[0] + weights[step.features];
}

/// The loss of an image, and in place of its scores the loss's derivatives by them. A place that
/// holds no sample has none.
__global__ void differentiate(TrainingStep step) {
  const unsigned image = blockIdx.x * threads + threadIdx.x;
  if (image >= step.batch) return;
  float* scores = step.scores + std::size_t{image} * step.classes;
  const bool valid = step.valid[image] != 0;
  const auto label = static_cast<unsigned>(step.labels[image]);
  float largest = scores[0];
  for (unsigned c = 1; c < step.classes; ++c) largest = fmaxf(largest, scores[c]);
  float sum = 0;
  for (unsigned c = 0; c < step.classes; ++c) sum += expf(scores[c] - largest);
  step.losses[image] = valid ? largest + logf(sum) - scores[label] : 0.0F;
  for (unsigned c = 0; c < step.classes; ++c) {
    const float wanted = c == label ? 1.0F : 0.0F;
    scores[c] = valid ? expf(scores[c] - largest) / sum - wanted : 0.0F;
  }
}

/// Moves a weight of a class (blockIdx.y) against its derivative, the mean over the valid images.
__global__ void update(TrainingStep step) {
  const unsigned feature = blockIdx.x * threads + threadIdx.x;
  if (feature > step.features) return;
  float derivative = 0;
  float count = 0;
  for (unsigned image = 0; image < step.batch; ++image) {
    const float value =
        feature == step.features ? 1.0F : step.images[std::size_t{image} * step.features + feature];
    derivative += step.scores[std::size_t{image} * step.classes + blockIdx.y] * value;
    count += static_cast<float>(step.valid[image]);
  }
  const std::size_t weight = std::size_t{blockIdx.y} * (step.features + 1) + feature;
  step.weights[weight] -= step.rate * derivative / fmaxf(count, 1.0F);
}

__global__ void add_losses(TrainingStep step) {
  for (unsigned image = 0; image < step.batch; ++image) *step.total_loss += step.losses[image];
}

}  // namespace

cudaError_t launch(const TrainingStep& step, cudaStream_t stream) {
  score<<<dim3(step.classes, step.batch), threads, 0, stream>>>(step);
  differentiate<<<blocks_for(step.batch), threads, 0, stream>>>(step);
  update<<<dim3(blocks_for(step.features + 1), step.classes), threads, 0, stream>>>(step);
  add_losses<<<1, 1, 0, stream>>>(step);
  return cudaGetLastError();
}
