#pragma once

#include <torch/serialize.h>

#include <functional>
#include <sstream>
#include <string>

namespace stoker::torch::testing {

/// What torch::save writes of a value.
template <class Value>
std::string saved(const Value& value) {
  std::ostringstream out;
  ::torch::save(value, out);
  return out.str();
}

/// Loads it with torch::load.
template <class Value>
void load(Value& value, const std::string& text) {
  std::istringstream in(text);
  ::torch::load(value, in);
}

/// An archive that a function fills, as text.
inline std::string archive_of(
    const std::function<void(::torch::serialize::OutputArchive&)>& write) {
  ::torch::serialize::OutputArchive archive;
  write(archive);
  std::ostringstream out;
  archive.save_to(out);
  return out.str();
}

/// The archive of a text.
inline ::torch::serialize::InputArchive archive_from(const std::string& text) {
  std::istringstream in(text);
  ::torch::serialize::InputArchive archive;
  archive.load_from(in);
  return archive;
}

}  // namespace stoker::torch::testing
