#include "bindings/torch/slot_tensors.hpp"

#include <stoker/torch/device.hpp>

#include <ATen/ATen.h>

#include <algorithm>
#include <vector>

namespace stoker::torch {
namespace {

using LeasePtr = std::shared_ptr<SlotLease>;

/// The deleter of all tensors in slots, by which they are known.
void drop_lease(void* lease) { delete static_cast<LeasePtr*>(lease); }

std::vector<std::int64_t> as_vector(const Shape& shape) {
  return {shape.dimensions().begin(), shape.dimensions().end()};
}

}  // namespace

at::Tensor slot_tensor(const LeasePtr& lease, void* data, c10::IntArrayRef sizes,
                       c10::IntArrayRef strides, c10::ScalarType dtype, DeviceId device) {
  const c10::Device where = torch::device(device);
  return at::for_blob(data, sizes)
      .strides(strides)
      .context(new LeasePtr(lease), drop_lease)
      .target_device(where)
      .options(at::TensorOptions().dtype(dtype).device(where))
      .make_tensor();
}

at::Tensor slot_tensor(const LeasePtr& lease, const TensorView& field) {
  std::vector<std::int64_t> sizes = as_vector(field.shape);
  std::vector<std::int64_t> strides = as_vector(field.strides());
  if (field.layout == Layout::NHWC && sizes.size() == 4) {
    for (auto* list : {&sizes, &strides}) {
      std::rotate(list->begin() + 1, list->begin() + 3, list->end());
    }
  }
  return slot_tensor(lease, field.data, sizes, strides, scalar_type(field.dtype), field.device);
}

LeasePtr lease_of(const at::Tensor& tensor) {
  if (!tensor.defined() || !tensor.has_storage()) return nullptr;
  const c10::DataPtr& data = tensor.storage().data_ptr();
  if (data.get_deleter() != drop_lease) return nullptr;
  return *static_cast<LeasePtr*>(data.get_context());
}

std::vector<std::int64_t> contiguous_strides(c10::IntArrayRef sizes) {
  std::vector<std::int64_t> strides(sizes.size());
  std::int64_t stride = 1;
  for (std::size_t i = sizes.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= std::max<std::int64_t>(sizes[i], 1);
  }
  return strides;
}

}  // namespace stoker::torch
