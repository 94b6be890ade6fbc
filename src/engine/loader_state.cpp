#include <stoker/engine/loader_state.hpp>

#include <stoker/core/error.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace stoker {
namespace {

using nlohmann::json;

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ErrorCode::bad_state, "this is no saved state: " + why);
}

/// What is nested deeper than a state's members is left out, however deep it goes.
bool is_wanted(int depth, json::parse_event_t /*event*/, json& /*value*/) { return depth <= 1; }

json parsed(std::string_view text) {
  if (text.empty()) refuse("it is empty");
  if (text.size() > LoaderState::most_bytes) {
    refuse(fmt::format("it has {} bytes, a state has {} at most", text.size(),
                       LoaderState::most_bytes));
  }
  try {
    return json::parse(text, is_wanted);
  } catch (const json::parse_error& error) {
    refuse(fmt::format("it is damaged or cut off at byte {} of {}",
                       std::min<std::size_t>(error.byte, text.size()), text.size()));
  } catch (const json::out_of_range&) {
    refuse("it has a number that is too large");
  }
}

/// A value as it may stand in a message.
std::string shown(const json& value) {
  constexpr std::size_t most = 40;
  if (value.is_structured()) return value.is_array() ? "a list" : "an object";
  const std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
  return text.size() <= most ? text : text.substr(0, most) + "...";
}

const json& member(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end()) refuse(fmt::format("\"{}\" is missing", name));
  return *found;
}

void read(const json& object, const char* name, std::uint64_t& value) {
  const json& found = member(object, name);
  if (!found.is_number_unsigned()) {
    refuse(fmt::format("\"{}\" is {}, not a whole number of 64 bits", name, shown(found)));
  }
  value = found.get<std::uint64_t>();
}

void read(const json& object, const char* name, bool& value) {
  const json& found = member(object, name);
  if (!found.is_boolean()) refuse(fmt::format("\"{}\" is neither true nor false", name));
  value = found.get<bool>();
}

void read(const json& object, const char* name, std::string& value) {
  const json& found = member(object, name);
  if (!found.is_string()) refuse(fmt::format("\"{}\" is no text", name));
  value = found.get<std::string>();
}

/// Calls `visit(name, member)` for all that a state of the current version holds but its version.
template <class State, class Visit>
void for_each_member(State& state, Visit visit) {
  visit("epoch", state.epoch);
  visit("position", state.position);
  visit("seed", state.seed);
  visit("sampler", state.sampler);
  visit("remainder", state.remainder);
  visit("drop_last", state.drop_last);
  visit("source", state.source);
  visit("pipeline", state.pipeline);
  visit("batch_size", state.batch_size);
  visit("world_size", state.world_size);
}

}  // namespace

std::string LoaderState::json() const {
  nlohmann::ordered_json object;
  object["version"] = version;
  for_each_member(*this, [&](const char* name, const auto& value) { object[name] = value; });
  // A user's names may be no UTF-8: better a replacement character than no state.
  return object.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

LoaderState LoaderState::parse(std::string_view text) {
  const nlohmann::json object = parsed(text);
  if (!object.is_object()) refuse("it is no JSON object");
  LoaderState state;
  read(object, "version", state.version);
  if (state.version != current_version) {
    throw Error(ErrorCode::bad_state,
                fmt::format("the state has version {}, this library reads version {}",
                            state.version, current_version));
  }
  for_each_member(state, [&](const char* name, auto& value) { read(object, name, value); });
  return state;
}

}  // namespace stoker
