#pragma once

#include <stoker/stoker.hpp>

#include <cstddef>
#include <memory>

inline constexpr unsigned formula_classes = 4;

/// Draws JPEGs in memory: waves and noise in four colours, which are their classes.
std::unique_ptr<stoker::Source> formula_photos(std::size_t count);
