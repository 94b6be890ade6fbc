#pragma once

#include <stoker/engine/loader.hpp>
#include <stoker/torch/detail/current_batch.hpp>

#include <c10/core/Stream.h>
#include <torch/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stoker::torch {

/// A batch as tensors that lie in a slot of the loader's ring, without a copy. The slot goes back
/// once the last tensor of its storage is gone (views, and what autograd saved, count), on
/// whichever thread, behind the work that was queued by then on the streams that use it: the one
/// that was current when the batch was handed over, and those given to `record_use`. Tensors may be
/// kept, and outlive the loader: with OnAllHeld::grow the ring gets larger, with `wait` it runs
/// out. On a device, the streams must stay alive as long as the tensors.
///
/// `Tensor::record_stream` has no effect on these tensors: LibTorch does that for memory of its own
/// allocator only. Work on another stream needs `record_use`.
struct Batch {
  /// The first field (of images [N, 3, H, W]; with Layout::NHWC the same, in channels_last memory).
  at::Tensor data;
  /// The second field (labels: int64 [N]); undefined where there is none.
  at::Tensor target;
  /// All fields, in the producer's order, by name.
  std::vector<std::pair<std::string, at::Tensor>> fields;
  /// Index in the source of each sample: int64 [N], on the host.
  at::Tensor indices;
  /// Which places count: bool [N], on the host. False where a place is only filled up.
  at::Tensor valid;
  std::uint64_t epoch = 0;
  /// Number of the batch in its epoch, from 0.
  std::uint64_t number = 0;

  /// Returns the field of that name. @throws Error(invalid_argument) that lists the fields.
  const at::Tensor& operator[](std::string_view field) const;

  /// Says that work on another stream uses this batch: the slot is used again only behind what that
  /// stream has queued when the last tensor goes. On any thread, as long as a tensor lives; without
  /// effect on the host.
  void record_use(c10::Stream stream) const;
};

/// Says the same of the batch that a tensor of one, or a view of it, lies in. Returns false,
/// without effect, for tensors that lie elsewhere.
bool record_use(const at::Tensor& tensor, c10::Stream stream);

/// Makes tensors of a batch. They own its slot from then on.
Batch as_tensors(stoker::Batch batch);

/// One epoch as batches of tensors: an input range, used by one thread at a time. Must not outlive
/// its loader.
class Batches {
 public:
  /// A batch is fetched when it is first looked at. Where that or `++` throws, the next call goes
  /// on behind the bad batch.
  using Iterator = detail::BatchIterator<Batches, Batch>;

  Batches(Epoch epoch, DeviceId device) : epoch_(std::move(epoch)), device_(device) {}

  /// Waits for the next batch; nothing at the epoch's end. On a device it is ready for what is
  /// queued behind this call on the device's current stream; the host waits for nothing there.
  /// Keep no tensor of the batch before where the loader has `static_batch`.
  /// @throws as Epoch::next.
  std::optional<Batch> next();

  /// The walk goes on where it stands.
  Iterator begin() { return {this, current_.epoch()}; }
  Iterator end() const { return {}; }
  /// Number of batches in this walk.
  std::uint64_t size() const noexcept { return epoch_.size(); }

 private:
  friend Iterator;
  Batch* look(std::uint64_t epoch) {
    return current_.look(epoch, [this] { return next(); });
  }
  void advance(std::uint64_t epoch) {
    current_.advance(epoch, [this] { return next(); });
  }

  Epoch epoch_;
  DeviceId device_;
  detail::CurrentBatch<Batch> current_;
};

/// Starts an epoch of a loader, as Loader::epoch does, and gives its batches as tensors:
///
///     for (auto& batch : stoker::torch::batches(loader, epoch))
///       loss = torch::nll_loss(model->forward(batch.data), batch.target);
Batches batches(Loader& loader, std::uint64_t epoch, bool last = false);

}  // namespace stoker::torch
