#include "src/engine/available_memory.hpp"

#include <algorithm>
#include <fstream>
#include <limits>

namespace stoker {
namespace {

constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

/// "MemAvailable:   123456 kB"
std::size_t system_memory(const std::string& meminfo) {
  std::ifstream file(meminfo);
  for (std::string key; file >> key;) {
    std::size_t kibibytes = 0;
    if (key == "MemAvailable:" && file >> kibibytes) return kibibytes * 1024;
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return unlimited;
}

std::size_t group_memory(const std::string& folder) {
  std::size_t limit = 0, used = 0;
  if (!(std::ifstream(folder + "/memory.max") >> limit))
    return unlimited;  // "max", or no such file
  if (!(std::ifstream(folder + "/memory.current") >> used)) return unlimited;
  return limit - std::min(used, limit);
}

}  // namespace

std::size_t available_memory(const std::string& meminfo, const std::string& proc_self_cgroup,
                             const std::string& mount) {
  std::size_t bytes = std::min(system_memory(meminfo), group_memory(mount));
  std::ifstream groups(proc_self_cgroup);
  for (std::string line; std::getline(groups, line);) {
    if (line.rfind("0::/", 0) != 0) continue;
    for (std::string path = line.substr(3); path.size() > 1; path.resize(path.find_last_of('/'))) {
      bytes = std::min(bytes, group_memory(mount + path));
    }
  }
  return bytes;
}

}  // namespace stoker
