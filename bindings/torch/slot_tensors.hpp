#pragma once

#include <stoker/core/tensor_view.hpp>
#include <stoker/engine/batch.hpp>

#include <ATen/core/Tensor.h>
#include <c10/core/ScalarType.h>
#include <c10/core/Stream.h>
#include <c10/util/ArrayRef.h>

#include <cstdint>
#include <memory>
#include <mutex>

namespace stoker::torch {

/// What the tensors of a batch own together: its slot, which goes back with the last of them.
struct SlotLease {
  explicit SlotLease(stoker::Batch held) : batch(std::move(held)) {}

  stoker::Batch batch;
  std::mutex mutex;  ///< of record_use
};

/// Makes a tensor of memory in the lease's slot.
at::Tensor slot_tensor(const std::shared_ptr<SlotLease>& lease, void* data, c10::IntArrayRef sizes,
                       c10::IntArrayRef strides, c10::ScalarType dtype, DeviceId device);
/// Makes a tensor of a field of the lease's slot: images in NHWC as [N, C, H, W] in channels_last.
at::Tensor slot_tensor(const std::shared_ptr<SlotLease>& lease, const TensorView& field);

/// Returns the lease of the slot that a tensor lies in; null for other tensors.
std::shared_ptr<SlotLease> lease_of(const at::Tensor& tensor);

/// Strides of a contiguous tensor.
std::vector<std::int64_t> contiguous_strides(c10::IntArrayRef sizes);

}  // namespace stoker::torch
