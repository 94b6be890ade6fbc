#include "src/pipeline/user_transform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <exception>

namespace stoker {
namespace {

bool is_word(const std::string& name) {
  const auto letter = [](unsigned char c) { return std::isalpha(c) != 0 || c == '_'; };
  return !name.empty() && letter(static_cast<unsigned char>(name[0])) &&
         std::ranges::all_of(name,
                             [&](unsigned char c) { return letter(c) || std::isdigit(c) != 0; });
}

}  // namespace

UserTransform::UserTransform(std::string name, UserFunction function)
    : name_(std::move(name)), function_(std::move(function)) {
  if (!is_word(name_)) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("a transform's name must be a word of letters, digits and underscores, "
                            "not \"{}\"",
                            name_));
  }
  if (!function_) {
    throw Error(ErrorCode::invalid_argument, fmt::format("transform {} has no function", name_));
  }
}

Status UserTransform::apply(Canvas& canvas, Random& random) const {
  const Result<Image*> image = canvas.pixels();
  if (!image) return tl::unexpected<Failure>(image.error());
  try {
    function_(**image, random);
  } catch (const std::exception& error) {
    return fail(ErrorCode::user_code, fmt::format("transform {} threw: {}", name_, error.what()));
  } catch (...) {
    return fail(ErrorCode::user_code,
                fmt::format("transform {} threw something that is no std::exception", name_));
  }
  return {};
}

Step transform(std::string name, UserFunction function) {
  return std::make_shared<UserTransform>(std::move(name), std::move(function));
}

}  // namespace stoker
