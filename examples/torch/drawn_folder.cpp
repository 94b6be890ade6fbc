#include "drawn_folder.hpp"

#include <algorithm>
#include <fstream>
#include <ostream>

namespace examples {
namespace {

bool is_there(const std::filesystem::path& file) { return std::filesystem::exists(file); }

}  // namespace

void draw_where_missing(const std::filesystem::path& folder, const DrawnSet& set,
                        std::ostream& out) {
  const std::filesystem::path note = folder / "DRAWN";
  const bool drawn_before = is_there(note);
  // What was being drawn when a run was stopped is drawn again; the user's own files never are.
  const bool draws = drawn_before ? !std::ranges::all_of(set.files, is_there)
                                  : std::ranges::none_of(set.files, is_there);
  if (draws) {
    std::filesystem::create_directories(folder);
    std::ofstream(note) << "The " << set.images << " here are drawn, easier than " << set.name
                        << ". Remove the folder to make room for others.\n";
    out << "no " << set.name << " in " << folder.string() << ": drawn " << set.images
        << ", which are easier, are written there" << std::endl;
    set.draw();
  } else if (drawn_before) {
    out << "the " << set.images << " in " << folder.string() << " are drawn, easier than "
        << set.name << std::endl;
  }
}

}  // namespace examples
