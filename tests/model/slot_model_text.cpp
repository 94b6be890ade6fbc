// How a run of the model is told.
#include "tests/model/slot_model.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace stoker::model {
namespace {

std::string_view name_of(Actor actor) {
  constexpr std::array<std::string_view, 8> names{"scheduler",   "worker",           "worker",
                                                  "prefetcher",  "consumer",         "releaser",
                                                  "copy stream", "consumer's stream"};
  return names[static_cast<std::size_t>(actor)];
}

std::string_view name_of(WaitAt at) {
  constexpr std::array<std::string_view, 7> names{
      "nothing",           "free host slots", "tasks",           "complete batches",
      "free device slots", "ready batches",   "released batches"};
  return names[static_cast<std::size_t>(at)];
}

}  // namespace

std::string SlotModel::text(const Step& step) {
  std::string text = fmt::format("{}: {}", name_of(step.actor), step.what);
  if (step.slot != none) text += fmt::format(" {}", step.slot);
  if (step.tag != 0) {
    text +=
        fmt::format(" (batch {} of generation {})", sequence_of(step.tag), generation_of(step.tag));
  }
  if (step.at == WaitAt::nowhere) return text;
  return text +
         fmt::format("{}{} {}", *step.what == '\0' ? "" : "; ", step.handing, name_of(step.at));
}

}  // namespace stoker::model
