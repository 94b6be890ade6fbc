#pragma once

#include "bindings/torch/reader_pool.hpp"
#include <stoker/engine/producer.hpp>
#include <stoker/torch/sample_source.hpp>

#include <ATen/core/Tensor.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace stoker::torch {

/// What every sample's tensor of a field must be.
struct TensorSpec {
  c10::ScalarType dtype = c10::ScalarType::Undefined;
  std::vector<std::int64_t> sizes;
  std::size_t bytes = 0;

  std::string text() const;
};

/// Gathers the tensors of samples in their places of a slot, as bytes: the slot's layout is that of
/// the first sample. Each call reads from a copy of the data set that no other call uses meanwhile.
class TensorProducer final : public Producer {
 public:
  /// What reading some samples has come to.
  using Failures = std::map<std::uint64_t, Failure>;

  /// Reads the sample `first` on this thread, to know what samples are like; it is not read again
  /// for the place where it is due first, nor are those that have failed.
  /// @throws Error(user_code) for what reading it throws, Error(unsupported),
  /// Error(invalid_argument) for tensors that cannot be gathered.
  TensorProducer(SampleSource source, std::uint64_t first, Failures failures = {});

  std::uint64_t size() const override;
  const std::vector<FieldSpec>& fields() const override { return fields_; }
  const std::vector<TensorSpec>& specs() const noexcept { return specs_; }
  std::string name(std::uint64_t index) const override;
  std::string fingerprint() const override;
  std::string pipeline() const override { return "get"; }
  /// The samples that are being read, as text.
  std::string in_work() const;
  bool in_memory() const override { return true; }
  bool may_block() const override { return source_.rows.empty(); }
  Status read(std::uint64_t /*index*/, EncodedSample& /*sample*/) const override { return {}; }
  bool copy(std::span<const std::uint64_t> indices,
            std::span<std::byte* const> fields) const override;
  Status produce(std::uint64_t index, const EncodedSample& sample, const SamplePlace& place,
                 const RandomKey& key, ProduceCounters& counters) const override;

 private:
  using Tensors = std::vector<at::Tensor>;

  Tensors take_first(std::uint64_t index) const;
  std::optional<Failure> take_failure(std::uint64_t index) const;
  void learn(std::span<const at::Tensor> tensors);
  Status gather(std::uint64_t index, std::span<const at::Tensor> tensors,
                const SamplePlace& place) const;
  Status check(std::uint64_t index, std::size_t field, const at::Tensor& tensor) const;

  SampleSource source_;
  std::uint64_t first_index_;
  std::vector<TensorSpec> specs_;
  std::vector<FieldSpec> fields_;
  mutable std::mutex mutex_;
  mutable Tensors first_;  ///< of the first sample, until it is due
  mutable Failures failures_;
  mutable std::atomic<bool> any_failures_;
  mutable ReaderPool readers_;
};

}  // namespace stoker::torch
