#include <stoker/torch/device.hpp>

#include <stoker/core/error.hpp>
#include <stoker/device/cuda.hpp>

#ifdef STOKER_TORCH_CUDA
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>
#endif

#include <cstdint>

namespace stoker::torch {
namespace {

[[noreturn]] void refuse(const c10::Device& device, const char* why) {
  throw Error(ErrorCode::unsupported, device.str() + ": " + why);
}

#ifdef STOKER_TORCH_CUDA
DevicePtr cuda_device(const c10::Device& device) {
  return cuda(device.has_index() ? device.index() : c10::cuda::current_device());
}

StreamRef native(const c10::cuda::CUDAStream& stream) {
  return {reinterpret_cast<std::uintptr_t>(stream.stream())};
}

StreamRef current_cuda_stream(std::int32_t ordinal) {
  return native(c10::cuda::getCurrentCUDAStream(static_cast<c10::DeviceIndex>(ordinal)));
}

StreamRef cuda_stream(const c10::Stream& stream) { return native(c10::cuda::CUDAStream(stream)); }
#else
constexpr const char* no_cuda = "this LibTorch has no CUDA";

DevicePtr cuda_device(const c10::Device& device) { refuse(device, no_cuda); }
StreamRef current_cuda_stream(std::int32_t ordinal) {
  refuse({c10::kCUDA, static_cast<c10::DeviceIndex>(ordinal)}, no_cuda);
}
StreamRef cuda_stream(const c10::Stream& stream) { refuse(stream.device(), no_cuda); }
#endif

}  // namespace

DevicePtr device(c10::Device device) {
  if (device.is_cpu()) return host();
  if (device.is_cuda()) return cuda_device(device);
  refuse(device, "batches can be delivered to the CPU and to CUDA devices");
}

c10::Device device(DeviceId id) {
  if (id.kind == DeviceId::Kind::cuda) {
    return {c10::kCUDA, static_cast<c10::DeviceIndex>(id.ordinal)};
  }
  return c10::kCPU;
}

StreamRef current_stream(DeviceId id) {
  return id.kind == DeviceId::Kind::cuda ? current_cuda_stream(id.ordinal) : StreamRef{};
}

StreamRef stream(c10::Stream stream) {
  return stream.device().is_cuda() ? cuda_stream(stream) : StreamRef{};
}

c10::ScalarType scalar_type(DType dtype) noexcept {
  switch (dtype) {
    case DType::uint8: return c10::kByte;
    case DType::int32: return c10::kInt;
    case DType::int64: return c10::kLong;
    case DType::float16: return c10::kHalf;
    case DType::bfloat16: return c10::kBFloat16;
    case DType::float32: return c10::kFloat;
    case DType::float64: return c10::kDouble;
  }
  return c10::ScalarType::Undefined;
}

}  // namespace stoker::torch
