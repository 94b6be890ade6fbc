#include "samplers/reproducible_log.hpp"

#include <cmath>

namespace stoker {

// x = mantissa * 2^exponent with the mantissa around 1, and with s = (mantissa - 1) / (mantissa +
// 1) log(mantissa) = 2 * (s + s^3 / 3 + s^5 / 5 + ...). |s| is below 0.172, so the term behind the
// last one here is below 1e-17 of the sum.
double reproducible_log(double x) noexcept {
  constexpr double root_of_half = 0.70710678118654752;
  constexpr double log_2_high = 0x1.62E42FEEp-1;  // few bits, so that its multiples are exact
  constexpr double log_2_low = 0x1.A39EF35793C76p-33;
  int exponent = 0;
  double mantissa = std::frexp(x, &exponent);
  if (mantissa < root_of_half) {
    mantissa *= 2;
    --exponent;
  }
  const double s = (mantissa - 1) / (mantissa + 1);
  const double square = s * s;
  double series = 0;
  for (int power = 21; power > 1; power -= 2) series = square * (series + 1.0 / power);
  return exponent * log_2_high + (2 * s * (1 + series) + exponent * log_2_low);
}

}  // namespace stoker
