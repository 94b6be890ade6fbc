#include "transforms/resample_weights.hpp"

#include <algorithm>
#include <numeric>

// This file is compiled without contraction of a * b + c: the weights must round as Pillow's do.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "transforms/resample_weights.cpp"
#include <hwy/foreach_target.h>
// Behind the above, as Highway asks for.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace stoker::resample {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::ScalableTag<double>;
using Ints = hn::Rebind<std::int32_t, Doubles>;
using Reals = hn::Vec<Doubles>;

struct Bilinear {
  HWY_INLINE Reals operator()(Reals x) const {
    const Doubles d;
    return hn::Max(hn::Sub(hn::Set(d, 1.0), hn::Abs(x)), hn::Zero(d));
  }
};

/// Source: Keys' cubic convolution with a = -1/2, in the order of operations of Pillow, Resample.c.
struct Bicubic {
  HWY_INLINE Reals operator()(Reals signed_x) const {
    const Doubles d;
    const Reals x = hn::Abs(signed_x);
    const Reals inner =
        hn::Add(hn::Mul(hn::Mul(hn::Sub(hn::Mul(hn::Set(d, 1.5), x), hn::Set(d, 2.5)), x), x),
                hn::Set(d, 1.0));
    const Reals tail =
        hn::Sub(hn::Mul(hn::Add(hn::Mul(hn::Sub(x, hn::Set(d, 5.0)), x), hn::Set(d, 8.0)), x),
                hn::Set(d, 4.0));
    const Reals outer = hn::Mul(tail, hn::Set(d, -0.5));
    const Reals beyond_one = hn::IfThenElseZero(hn::Lt(x, hn::Set(d, 2.0)), outer);
    return hn::IfThenElse(hn::Lt(x, hn::Set(d, 1.0)), inner, beyond_one);
  }
};

HWY_INLINE Reals centers(const Axis& axis, const Stretch& over, int index) {
  const Doubles d;
  const Reals output = hn::Iota(d, static_cast<double>(axis.first + index));
  return hn::Add(hn::Set(d, static_cast<double>(axis.begin)),
                 hn::Mul(hn::Add(output, hn::Set(d, 0.5)), hn::Set(d, over.scale)));
}

/// Fills `start` and `sizes` a vector at a time, so beyond the count too.
void find_bounds(const Axis& axis, std::int32_t* start, std::int32_t* sizes) {
  const Doubles d;
  const Ints di;
  const Stretch over = stretch(axis);
  const Reals support = hn::Set(d, over.support), half = hn::Set(d, 0.5);
  for (int i = 0; i < axis.count; i += static_cast<int>(hn::Lanes(d))) {
    const Reals center = centers(axis, over, i);
    const auto first =
        hn::Max(hn::DemoteTo(di, hn::Add(hn::Sub(center, support), half)), hn::Zero(di));
    const auto end = hn::Min(hn::DemoteTo(di, hn::Add(hn::Add(center, support), half)),
                             hn::Set(di, axis.source));
    hn::StoreU(first, di, start + i);
    hn::StoreU(hn::Sub(end, first), di, sizes + i);
  }
}

/// The weights of one vector of outputs as they are before their sum is made 1; returns the sum.
template <class Filter>
HWY_INLINE Reals raw_weights(Filter filter, Reals inverse, Reals center, Reals start, Reals size,
                             int taps, double* raw) {
  const Doubles d;
  const Reals half = hn::Set(d, 0.5);
  Reals sum = hn::Zero(d);
  for (int tap = 0; tap < taps; ++tap) {
    const Reals t = hn::Set(d, static_cast<double>(tap));
    const Reals place = hn::Add(hn::Sub(hn::Add(t, start), center), half);
    const Reals weight = hn::IfThenElseZero(hn::Lt(t, size), filter(hn::Mul(place, inverse)));
    hn::Store(weight, d, raw + static_cast<std::size_t>(tap) * hn::Lanes(d));
    sum = hn::Add(sum, weight);
  }
  return sum;
}

HWY_INLINE hn::Vec<Ints> fixed_point(Reals weight) {
  const Doubles d;
  const Reals scaled = hn::Mul(weight, hn::Set(d, static_cast<double>(1 << weight_bits)));
  return hn::DemoteTo(Ints(), hn::Add(scaled, hn::CopySign(hn::Set(d, 0.5), scaled)));
}

template <class Filter>
void find_weights(const Axis& axis, const std::int32_t* start, const std::int32_t* sizes, int taps,
                  std::size_t stride, std::int32_t* weights, double* raw) {
  const Doubles d;
  const Ints di;
  const Stretch over = stretch(axis);
  const Reals inverse = hn::Set(d, over.inverse);
  for (int i = 0; i < axis.count; i += static_cast<int>(hn::Lanes(d))) {
    const Reals first = hn::PromoteTo(d, hn::LoadU(di, start + i));
    const Reals size = hn::PromoteTo(d, hn::LoadU(di, sizes + i));
    const Reals sum =
        raw_weights(Filter(), inverse, centers(axis, over, i), first, size, taps, raw);
    const Reals divisor = hn::IfThenElse(hn::Eq(sum, hn::Zero(d)), hn::Set(d, 1.0), sum);
    for (int tap = 0; tap < taps; ++tap) {
      const Reals weight = hn::Load(d, raw + static_cast<std::size_t>(tap) * hn::Lanes(d));
      hn::StoreU(fixed_point(hn::Div(weight, divisor)), di,
                 weights + static_cast<std::size_t>(tap) * stride + i);
    }
  }
}

void find_filter_weights(const Axis& axis, const std::int32_t* start, const std::int32_t* sizes,
                         int taps, std::size_t stride, std::int32_t* weights, double* raw) {
  const auto find = axis.interpolation == Interpolation::bicubic ? &find_weights<Bicubic>
                                                                 : &find_weights<Bilinear>;
  find(axis, start, sizes, taps, stride, weights, raw);
}

}  // namespace HWY_NAMESPACE
}  // namespace stoker::resample
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stoker::resample {
namespace {

HWY_EXPORT(find_bounds);
HWY_EXPORT(find_filter_weights);

constexpr std::size_t widest_vector = 64;

std::int32_t* integers(AlignedBuffer& buffer) {
  return reinterpret_cast<std::int32_t*>(buffer.data());
}

}  // namespace

bool Taps::prepare(const Axis& axis) {
  if (axis == axis_) return false;
  axis_.count = 0;  // stays so if memory runs out below
  stride_ = (static_cast<std::size_t>(axis.count) + slack - 1) / slack * slack + slack;
  bounds_.reserve(2 * stride_ * sizeof(std::int32_t));
  only_moves(axis) ? move(axis) : filter(axis);
  axis_ = axis;
  return true;
}

void Taps::move(const Axis& axis) {
  std::int32_t* const start = integers(bounds_);
  std::iota(start, start + stride_, static_cast<std::int32_t>(axis.begin) + axis.first);
  std::fill_n(start + stride_, stride_, 1);
  reserve_weights(1);
  std::fill_n(integers(weights_), stride_, 1 << weight_bits);
}

void Taps::filter(const Axis& axis) {
  std::int32_t* const start = integers(bounds_);
  std::int32_t* const sizes = start + stride_;
  HWY_DYNAMIC_DISPATCH(find_bounds)(axis, start, sizes);
  const int taps = *std::max_element(sizes, sizes + axis.count);
  std::fill(start + axis.count, sizes, start[axis.count - 1]);
  reserve_weights(taps);
  scratch_.reserve(static_cast<std::size_t>(taps) * widest_vector);
  HWY_DYNAMIC_DISPATCH(find_filter_weights)
  (axis, start, sizes, taps, stride_, integers(weights_),
   reinterpret_cast<double*>(scratch_.data()));
}

void Taps::reserve_weights(int taps) {
  most_ = taps;
  chunks_ = (taps + taps_per_chunk - 1) / taps_per_chunk;
  const std::size_t elements = static_cast<std::size_t>(chunks_ * taps_per_chunk) * stride_;
  weights_.reserve(elements * sizeof(std::int32_t));
  std::fill_n(integers(weights_), elements, 0);
}

Range Taps::range() const noexcept {
  const int last = axis_.count - 1;
  return {start()[0], start()[last] + sizes()[last]};
}

const std::int32_t* Taps::weights(int tap) const noexcept {
  return reinterpret_cast<const std::int32_t*>(weights_.data()) +
         static_cast<std::size_t>(tap) * stride_;
}

std::size_t Taps::capacity() const noexcept {
  return bounds_.capacity() + weights_.capacity() + scratch_.capacity();
}

}  // namespace stoker::resample
#endif  // HWY_ONCE
