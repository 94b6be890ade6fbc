#include "src/engine/run_identity.hpp"

#include "src/engine/loader_options.hpp"

#include <fmt/format.h>

namespace stoker {
namespace {

template <class T>
void check_same(const char* what, const T& saved, const T& here) {
  if (saved == here) return;
  throw Error(ErrorCode::bad_state,
              fmt::format("the state is of another {}: it has \"{}\", this loader \"{}\"", what,
                          saved, here));
}

}  // namespace

LoaderState run_identity(const LoaderOptions& options, const Producer& producer,
                         const BatchSchedule& schedule) {
  LoaderState state;
  state.seed = options.seed;
  state.sampler = schedule.sampler_text();
  state.remainder = name(options.remainder);
  state.drop_last = options.drop_last;
  state.source = producer.fingerprint();
  state.pipeline = producer.pipeline();
  state.batch_size = options.batch_size;
  state.world_size = options.world_size;
  return state;
}

void check_continues(const LoaderState& saved, const LoaderState& here,
                     const BatchSchedule& schedule) {
  check_same("version", saved.version, here.version);
  check_same("source", saved.source, here.source);
  check_same("pipeline", saved.pipeline, here.pipeline);
  check_same("seed", saved.seed, here.seed);
  check_same("sampler", saved.sampler, here.sampler);
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
