#include <stoker/transforms/normalize.hpp>

#include "transforms/parameters.hpp"
#include <stoker/core/error.hpp>

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <vector>

namespace stoker {
namespace {

using Channels = std::array<double, 3>;

// Judges the numbers as float32, which is what they are computed with.
parameters::Check valid_channels(std::string_view name, const Channels& channels, bool divisor) {
  for (const double value : channels) {
    const auto narrow = static_cast<float>(value);
    if (std::isfinite(narrow) && (narrow != 0 || !divisor)) continue;
    return parameters::Flaw{name, fmt::format("must hold finite float32 numbers{}, not {}",
                                              divisor ? " other than 0" : "", number_text(value))};
  }
  return {};
}

Channels channels_parameter(Arguments& arguments, std::string_view name) {
  const std::vector<double> given = arguments.numbers(name);
  if (given.size() != 1 && given.size() != 3) {
    arguments.reject(name, "must be one number or one for each of 3 channels");
  }
  const Channels channels{given.front(), given[given.size() / 2], given.back()};
  parameters::require(arguments, valid_channels(name, channels, name == "std"));
  return channels;
}

// The first argument may be a word or a list. Arguments has no way to ask which, so a copy is asked
// for the word, and its refusal means that it is none.
std::optional<std::string> preset_name(Arguments probe) {
  try {
    return probe.word("mean");
  } catch (const Error&) {
    return {};
  }
}

ChannelStatistics preset(Arguments& arguments) {
  if (const std::string word = arguments.word("mean"); word != "imagenet") {
    arguments.reject("mean", "must be imagenet, a number or a list of numbers, not " + word);
  }
  return imagenet_statistics;
}

std::string channels_text(const Channels& channels) {
  return list_text({channels.begin(), channels.end()});
}

}  // namespace

Normalize::Normalize(const ChannelStatistics& statistics) : statistics_(statistics) {
  parameters::require("normalize", valid_channels("mean", statistics.mean, false));
  parameters::require("normalize", valid_channels("std", statistics.std, true));
}

std::string Normalize::text() const {
  return fmt::format("normalize(mean={}, std={})", channels_text(statistics_.mean),
                     channels_text(statistics_.std));
}

Step normalize(const ChannelStatistics& statistics) {
  return std::make_shared<Normalize>(statistics);
}

Step make_normalize(Arguments& arguments) {
  ChannelStatistics statistics;
  if (preset_name(arguments)) {
    statistics = preset(arguments);
  } else {
    statistics.mean = channels_parameter(arguments, "mean");
    statistics.std = channels_parameter(arguments, "std");
  }
  arguments.finish();
  return normalize(statistics);
}

}  // namespace stoker
