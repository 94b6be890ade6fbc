#include "src/engine/run_identity.hpp"

#include "src/engine/loader_options.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace stoker {
namespace {

/// A value as it may stand in a message: on one line, and from shortly before where it differs.
std::string shown(const std::string& text, std::size_t difference) {
  constexpr std::size_t before = 40, most = 200;
  const std::size_t first = difference > before ? difference - before : 0;
  return fmt::format("{}{:?}{}", first > 0 ? "..." : "", text.substr(first, most),
                     first + most < text.size() ? "..." : "");
}

void check_same(const std::string& what, const std::string& saved, const std::string& here) {
  if (saved == here) return;
  const auto differ = std::ranges::mismatch(saved, here).in1 - saved.begin();
  throw Error(ErrorCode::bad_state,
              fmt::format("the state is of another {}: it has {}, this loader {}; a run goes on "
                          "with what it was saved with, or starts anew",
                          what, shown(saved, static_cast<std::size_t>(differ)),
                          shown(here, static_cast<std::size_t>(differ))));
}

template <class T>
void check_same(const char* what, const T& saved, const T& here) {
  check_same(std::string(what), fmt::to_string(saved), fmt::to_string(here));
}

/// States are written as UTF-8: what a user's text has besides is replaced, here as there.
std::string as_written(const std::string& text) {
  using nlohmann::json;
  return json::parse(json(text).dump(-1, ' ', false, json::error_handler_t::replace));
}

}  // namespace

LoaderState run_identity(const LoaderOptions& options, const Producer& producer,
                         const BatchSchedule& schedule) {
  LoaderState state;
  state.seed = options.seed;
  state.sampler = as_written(schedule.sampler_text());
  state.remainder = name(options.remainder);
  state.drop_last = options.drop_last;
  state.source = as_written(producer.fingerprint());
  state.pipeline = as_written(producer.pipeline());
  state.batch_size = options.batch_size;
  state.world_size = options.world_size;
  return state;
}

void check_continues(const LoaderState& saved, const LoaderState& here,
                     const BatchSchedule& schedule) {
  check_same("version", saved.version, here.version);
  check_same("seed", saved.seed, here.seed);
  check_same("sampler", saved.sampler, here.sampler);  // before the source: it tells the size
  check_same("source (other names or labels of samples)", saved.source, here.source);
  check_same("pipeline", saved.pipeline, here.pipeline);
  check_same("remainder", saved.remainder, here.remainder);
  check_same("drop_last", saved.drop_last, here.drop_last);
  if (saved.epoch >= most_epochs) {
    throw Error(ErrorCode::bad_state,
                fmt::format("the state's epoch {} cannot be: it is not below {}", saved.epoch,
                            most_epochs));
  }
  if (saved.position <= schedule.size()) return;
  throw Error(ErrorCode::bad_state,
              fmt::format("the state's position {} lies behind the end of the epoch, which has {} "
                          "places",
                          saved.position, schedule.size()));
}

}  // namespace stoker
