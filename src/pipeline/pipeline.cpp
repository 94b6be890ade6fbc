#include <stoker/pipeline/pipeline.hpp>

namespace stoker {

std::string Pipeline::text() const {
  std::string text;
  for (const Step& step : steps_) {
    if (!text.empty()) text += " | ";
    text += step->text();
  }
  return text;
}

Pipeline operator|(Pipeline left, const Pipeline& right) {
  std::vector<Step> steps = left.steps();
  steps.insert(steps.end(), right.steps().begin(), right.steps().end());
  return Pipeline(std::move(steps));
}

}  // namespace stoker
