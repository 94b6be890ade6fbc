#pragma once

#include <c10/core/DeviceType.h>
#include <c10/core/ScalarType.h>

namespace examples {

/// While it lives, operations of the calling thread that gain from it compute in `dtype` on devices
/// of a kind (CPU or CUDA). Weights that it casts are kept until the outermost one ends. For the
/// forward pass and the loss; the backward pass follows them outside.
class Autocast {
 public:
  explicit Autocast(c10::DeviceType device, c10::ScalarType dtype = c10::ScalarType::BFloat16,
                    bool enabled = true);
  ~Autocast();
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  c10::DeviceType device_;
  bool enabled_before_;
  c10::ScalarType dtype_before_;
};

}  // namespace examples
