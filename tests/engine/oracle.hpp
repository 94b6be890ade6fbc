#pragma once

#include "tests/engine/fake_producer.hpp"
#include <stoker/engine/loader.hpp>
#include <stoker/samplers/random_sampler.hpp>
#include <stoker/samplers/sequential_sampler.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace stoker::testing {

/// What one batch must hold.
struct ExpectedBatch {
  std::vector<std::uint64_t> indices;
  std::vector<FakeSample> samples;
  friend bool operator==(const ExpectedBatch&, const ExpectedBatch&) = default;
};

/// Computes an epoch's batches in the plainest way: no threads, no rings, no reuse.
inline std::vector<ExpectedBatch> oracle(std::uint64_t size, const LoaderOptions& options,
                                         std::uint64_t epoch) {
  const std::shared_ptr<const Sampler> sampler =
      options.shuffle ? std::shared_ptr<const Sampler>(std::make_shared<RandomSampler>(size))
                      : std::make_shared<SequentialSampler>(size);
  std::vector<std::uint64_t> order(size);
  sampler->order(options.seed, epoch)->read(0, order);
  std::vector<ExpectedBatch> batches;
  for (std::uint64_t position = 0; position < size; ++position) {
    if (position % options.batch_size == 0) batches.emplace_back();
    batches.back().indices.push_back(order[position]);
    batches.back().samples.push_back(
        FakeProducer::expected(order[position], {options.seed, epoch, position, 0}));
  }
  if (options.drop_last && size % options.batch_size != 0) batches.pop_back();
  return batches;
}

/// Copies what a batch on the host holds.
inline ExpectedBatch content(const Batch& batch) {
  ExpectedBatch content;
  content.indices.assign(batch.indices().begin(), batch.indices().end());
  const TensorView samples = batch["sample"];
  content.samples.assign(fake_samples(samples), fake_samples(samples) + batch.size());
  const TensorView bytes = batch["bytes"];
  const std::int64_t length = bytes.shape[1];
  for (std::size_t i = 0; i < batch.size(); ++i) {
    for (std::int64_t k = 0; k < length; ++k) {
      const auto expected =
          static_cast<std::uint8_t>(content.indices[i] + static_cast<std::uint64_t>(k));
      EXPECT_EQ(bytes.as<std::uint8_t>()[static_cast<std::int64_t>(i) * length + k], expected);
    }
  }
  return content;
}

/// The next batch, however slow the machine: a batch that is late is not lost.
inline Batch next_patiently(Epoch& epoch) {
  for (;;) {
    try {
      return epoch.next().value();
    } catch (const Error& error) {
      if (error.code() != ErrorCode::timeout) throw;
    }
  }
}

}  // namespace stoker::testing
