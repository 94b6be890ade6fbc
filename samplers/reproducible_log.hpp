#pragma once

namespace stoker {

/// Returns the natural logarithm of a positive, finite, normal number, to about 1e-15 of it, and to
/// the same bit on every machine: the C library's last bit differs from one to the next. Made of
/// IEEE additions, multiplications and divisions alone, in a fixed order.
double reproducible_log(double x) noexcept;

}  // namespace stoker
