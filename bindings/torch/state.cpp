#include <stoker/torch/state.hpp>

#include <stoker/core/error.hpp>

#include <ATen/core/ivalue.h>

#include <string>

namespace stoker {
namespace {

constexpr const char* key = "stoker_loader_state";

}  // namespace

::torch::serialize::OutputArchive& operator<<(::torch::serialize::OutputArchive& archive,
                                              const LoaderState& state) {
  archive.write(key, c10::IValue(state.json()));
  return archive;
}

::torch::serialize::InputArchive& operator>>(::torch::serialize::InputArchive& archive,
                                             LoaderState& state) {
  c10::IValue text;
  if (!archive.try_read(key, text) || !text.isString()) {
    throw Error(ErrorCode::bad_state, "the archive holds no state of a stoker loader");
  }
  state = LoaderState::parse(text.toStringRef());
  return archive;
}

}  // namespace stoker
