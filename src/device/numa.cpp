#include "src/device/numa.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

namespace stoker {
namespace {

constexpr std::string_view node_prefix = "node";
// Above any kernel's limit; keeps a damaged list from asking for gigabytes.
constexpr int highest_processor = 1 << 20;

std::optional<int> parse_number(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  if (number < 0 || number > highest_processor) return std::nullopt;
  return number;
}

bool append_range(std::string_view range, std::vector<int>& numbers) {
  const std::size_t dash = range.find('-');
  const auto first = parse_number(range.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : parse_number(range.substr(dash + 1));
  if (!first || !last || *last < *first) return false;
  for (int number = *first; number <= *last; ++number) numbers.push_back(number);
  return true;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  return text;
}

std::optional<NumaNode> read_node(const std::filesystem::path& folder) {
  const std::string name = folder.filename().string();
  if (!name.starts_with(node_prefix)) return std::nullopt;
  const auto id = parse_number(std::string_view(name).substr(node_prefix.size()));
  if (!id) return std::nullopt;
  std::ifstream file(folder / "cpulist");
  std::string text;
  if (!std::getline(file, text)) return std::nullopt;
  auto processors = parse_cpu_list(text);
  if (!processors || processors->empty()) return std::nullopt;
  return NumaNode{*id, *std::move(processors)};
}

}  // namespace

std::optional<std::vector<int>> parse_cpu_list(std::string_view text) {
  std::vector<int> numbers;
  for (text = trimmed(text); !text.empty();) {
    const std::size_t comma = text.find(',');
    if (!append_range(text.substr(0, comma), numbers)) return std::nullopt;
    text = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
    if (comma != std::string_view::npos && text.empty()) return std::nullopt;
  }
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

std::vector<NumaNode> numa_nodes(const std::filesystem::path& folder) {
  std::vector<NumaNode> nodes;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    if (auto node = read_node(entry->path())) nodes.push_back(*std::move(node));
  if (nodes.empty()) return {NumaNode{}};
  std::sort(nodes.begin(), nodes.end(),
            [](const NumaNode& a, const NumaNode& b) { return a.id < b.id; });
  return nodes;
}

std::vector<int> processors_near(int node, const std::vector<NumaNode>& nodes,
                                 const std::vector<int>& usable, int wanted) {
  const auto found = std::ranges::find(nodes, node, &NumaNode::id);
  if (nodes.size() < 2 || found == nodes.end()) return {};
  std::vector<int> near;
  std::ranges::set_intersection(found->processors, usable, std::back_inserter(near));
  if (std::ssize(near) < wanted) near.clear();
  return near;
}

}  // namespace stoker
