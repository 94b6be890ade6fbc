#pragma once

#include <stoker/core/image.hpp>
#include <stoker/core/operation.hpp>
#include <stoker/core/random.hpp>

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stoker {

/// Changes an image in place (also its size); called by many workers at the same time, with the
/// sample's own random numbers. What it throws becomes that sample's failure (user_code).
using UserFunction = std::function<void(Image& image, Random& random)>;

/// The steps from a sample's bytes to its place in a batch, as the user wrote them. A value type:
/// copies share their immutable steps.
class Pipeline {
 public:
  Pipeline() = default;
  Pipeline(Step step) : steps_{std::move(step)} {}  // NOLINT(google-explicit-constructor)
  explicit Pipeline(std::vector<Step> steps) : steps_(std::move(steps)) {}

  /// Reads the pipeline language: `op | op(arguments) | op`, arguments by place or `key=value`,
  /// lists in brackets, words bare. `user` adds operations of one's own by name, without arguments.
  /// @throws Error(invalid_pipeline) that points at the column of the mistake.
  static Pipeline parse(std::string_view text,
                        const std::map<std::string, UserFunction>& user = {});

  const std::vector<Step>& steps() const noexcept { return steps_; }
  /// The pipeline in its language, every parameter written out.
  std::string text() const;

 private:
  std::vector<Step> steps_;
};

/// Puts the right side's steps behind the left side's.
Pipeline operator|(Pipeline left, const Pipeline& right);

/// Makes a step of a callable. The name stands for it in the pipeline's text and so in state: give
/// it another name when its behaviour changes. @throws Error(invalid_argument) unless the name is a
/// word of letters, digits and underscores.
Step transform(std::string name, UserFunction function);

}  // namespace stoker
