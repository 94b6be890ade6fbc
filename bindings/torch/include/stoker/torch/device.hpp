#pragma once

#include <stoker/core/dtype.hpp>
#include <stoker/device/device.hpp>

#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>
#include <c10/core/Stream.h>

namespace stoker::torch {

/// Returns the device that a loader delivers to so that its batches are tensors on `device`: the
/// host for the CPU; for CUDA without an index, the calling thread's current device.
/// @throws Error(unsupported) for other kinds and where this LibTorch or this stoker has no CUDA,
/// Error(device_error) as stoker::cuda does.
DevicePtr device(c10::Device device);

/// Returns where LibTorch finds memory of that device.
c10::Device device(DeviceId id);

/// Returns the calling thread's current stream of a device, as LibTorch has it; the default one on
/// the host.
StreamRef current_stream(DeviceId id);

/// Returns what stoker calls a stream of LibTorch's.
StreamRef stream(c10::Stream stream);

/// Returns LibTorch's name of an element type.
c10::ScalarType scalar_type(DType dtype) noexcept;

}  // namespace stoker::torch
