#include "autocast.hpp"

#include <ATen/autocast_mode.h>
#include <torch/version.h>

namespace examples {
namespace {

namespace autocast = at::autocast;

// LibTorch has one function for all kinds of device since 2.4, and warns of those before.
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4)
bool is_enabled(c10::DeviceType device) { return autocast::is_autocast_enabled(device); }
c10::ScalarType dtype(c10::DeviceType device) { return autocast::get_autocast_dtype(device); }
void set(c10::DeviceType device, bool enabled, c10::ScalarType dtype) {
  autocast::set_autocast_enabled(device, enabled);
  autocast::set_autocast_dtype(device, dtype);
}
#else
bool is_enabled(c10::DeviceType device) {
  return device == at::kCUDA ? autocast::is_enabled() : autocast::is_cpu_enabled();
}
c10::ScalarType dtype(c10::DeviceType device) {
  return device == at::kCUDA ? autocast::get_autocast_gpu_dtype()
                             : autocast::get_autocast_cpu_dtype();
}
void set(c10::DeviceType device, bool enabled, c10::ScalarType dtype) {
  if (device == at::kCUDA) {
    autocast::set_enabled(enabled);
    autocast::set_autocast_gpu_dtype(dtype);
  } else {
    autocast::set_cpu_enabled(enabled);
    autocast::set_autocast_cpu_dtype(dtype);
  }
}
#endif

}  // namespace

Autocast::Autocast(c10::DeviceType device, c10::ScalarType dtype, bool enabled)
    : device_(device), enabled_before_(is_enabled(device)), dtype_before_(examples::dtype(device)) {
  autocast::increment_nesting();
  set(device, enabled, dtype);
}

Autocast::~Autocast() {
  if (autocast::decrement_nesting() == 0) autocast::clear_cache();
  set(device_, enabled_before_, dtype_before_);
}

}  // namespace examples
