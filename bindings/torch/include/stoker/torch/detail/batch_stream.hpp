#pragma once

#include <stoker/engine/stats.hpp>

#include <torch/serialize/input-archive.h>
#include <torch/serialize/output-archive.h>

#include <optional>

namespace stoker::torch::detail {

/// What a data loader gets its batches from. Used by one thread at a time.
template <class Batch>
class BatchStream {
 public:
  virtual ~BatchStream() = default;
  /// Begins the next epoch, also where the last one was left early.
  virtual void start() = 0;
  /// Waits for the next batch; nothing at the epoch's end.
  virtual std::optional<Batch> next() = 0;
  virtual void save(::torch::serialize::OutputArchive& archive) const = 0;
  virtual void load(::torch::serialize::InputArchive& archive) = 0;
  virtual Stats stats() const = 0;
};

}  // namespace stoker::torch::detail
