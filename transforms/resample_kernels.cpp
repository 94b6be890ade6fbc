#include "transforms/resample_kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "transforms/resample_kernels.cpp"
#include <hwy/foreach_target.h>
// Behind the above, as Highway asks for.
#include "transforms/resample_columns-inl.hpp"
#include "transforms/resample_rows-inl.hpp"
#include "transforms/resample_scalar.hpp"

HWY_BEFORE_NAMESPACE();
namespace stoker::resample {
namespace HWY_NAMESPACE {

const Kernels* kernels() {
#if STOKER_RESAMPLE_VECTORS
  static constexpr Kernels vector_kernels{pack_rows, pack_columns, filter_columns, interleave,
                                          filter_rows};
  return &vector_kernels;
#else
  return &scalar_kernels();
#endif
}

}  // namespace HWY_NAMESPACE
}  // namespace stoker::resample
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stoker::resample {
namespace {

HWY_EXPORT(kernels);

}  // namespace

const Kernels& best_kernels() { return *HWY_DYNAMIC_DISPATCH(kernels)(); }

}  // namespace stoker::resample
#endif  // HWY_ONCE
