#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

namespace examples {

/// A data set that an example draws where its files are missing.
struct DrawnSet {
  std::string name;    ///< of the real one
  std::string images;  ///< what is drawn: digits, shapes
  std::vector<std::filesystem::path> files;
  std::function<void()> draw;  ///< writes all files
};

/// Draws the data set into `folder` where none of its files are there, and leaves a note beside
/// them. Tells `out` that the images are drawn, each time: what is reached on them says nothing of
/// the real ones.
void draw_where_missing(const std::filesystem::path& folder, const DrawnSet& set,
                        std::ostream& out);

}  // namespace examples
