#include "src/distributed/disagreement.hpp"

#include "src/distributed/rank_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace stoker {
namespace {

using Value = std::optional<std::string>;

constexpr std::size_t max_groups = 6;
constexpr std::size_t max_length = 64;
constexpr std::size_t length_before_difference = 20;

struct Group {
  Value value;
  std::vector<std::uint64_t> ranks;
};

/// Groups in the order of their first ranks.
std::vector<Group> groups_of(const std::vector<Value>& values) {
  std::vector<Group> groups;
  std::map<Value, std::size_t> group_of;
  for (std::size_t rank = 0; rank < values.size(); ++rank) {
    const auto [place, is_new] = group_of.try_emplace(values[rank], groups.size());
    if (is_new) groups.push_back({values[rank], {}});
    groups[place->second].ranks.push_back(rank);
  }
  return groups;
}

/// Number of first bytes that all groups that have a value share.
std::size_t common_length(const std::vector<Group>& groups) {
  std::optional<std::string_view> common;
  for (const Group& group : groups) {
    if (!group.value) continue;
    const std::string_view value = *group.value;
    if (!common) common = value;
    const auto end = std::mismatch(common->begin(), common->end(), value.begin(), value.end());
    common = common->substr(0, static_cast<std::size_t>(end.first - common->begin()));
  }
  return common ? common->size() : 0;
}

std::string shortened(const Value& value, std::size_t common) {
  if (!value) return "none";
  if (value->size() <= max_length) return fmt::format("{:?}", *value);
  const std::size_t start = std::max(common, length_before_difference) - length_before_difference;
  const std::string part = value->substr(start, max_length);
  return fmt::format("{}{:?}{}", start > 0 ? "..." : "", part,
                     start + part.size() < value->size() ? "..." : "");
}

std::vector<Value> values_of(const std::vector<Statement>& statements, const std::string& name) {
  std::vector<Value> values;
  for (const Statement& statement : statements) {
    const auto fact = std::find_if(statement.facts.begin(), statement.facts.end(),
                                   [&](const Fact& candidate) { return candidate.name == name; });
    values.push_back(fact == statement.facts.end() ? Value() : Value(fact->value));
  }
  return values;
}

bool all_equal(const std::vector<Value>& values) {
  return std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) == values.end();
}

/// The names in the order in which they first appear.
std::vector<std::string> names_of(const std::vector<Statement>& statements) {
  std::vector<std::string> names;
  std::set<std::string_view> seen;
  for (const Statement& statement : statements)
    for (const Fact& fact : statement.facts)
      if (seen.insert(fact.name).second) names.push_back(fact.name);
  return names;
}

using RanksOfPart = std::map<std::uint64_t, std::vector<std::uint64_t>>;

/// Writes the parts that are on another number of ranks than `wanted`; "" where there is none.
std::string wrong_parts_text(const RanksOfPart& ranks_of, std::uint64_t world_size,
                             std::uint64_t wanted) {
  std::string text;
  std::size_t count = 0;
  for (const auto& [part, ranks] : ranks_of) {
    if (part < world_size && ranks.size() == wanted) continue;
    if (++count <= max_groups) text += fmt::format("; {} is on {}", part, rank_list(ranks));
  }
  if (count > max_groups) text += fmt::format("; and {} more", count - max_groups);
  return text;
}

/// All ranks state the same world size: checks that each part of the data is on equally many.
std::string incomplete_set_text(const RanksOfPart& ranks_of, std::uint64_t world_size,
                                std::uint64_t processes) {
  std::vector<std::uint64_t> parts;
  for (const auto& [part, ranks] : ranks_of) parts.push_back(part);
  const std::vector<Run> gaps = gaps_of(parts, world_size);
  const std::uint64_t wanted =
      std::max<std::uint64_t>(processes / std::max<std::uint64_t>(world_size, 1), 1);
  std::string text = gaps.empty() ? "" : fmt::format("; {} is missing", text_of(gaps));
  text += wrong_parts_text(ranks_of, world_size, wanted);
  if (text.empty()) return text;
  return fmt::format("data ranks: of {}, each must be on equally many of the {} ranks{}",
                     world_size, processes, text);
}

std::string data_disagreement(const std::vector<Statement>& statements) {
  std::vector<Value> world_sizes;
  RanksOfPart ranks_of;
  for (std::size_t rank = 0; rank < statements.size(); ++rank) {
    const std::optional<DataRanks>& data = statements[rank].data;
    world_sizes.push_back(data ? Value(fmt::format("{}", data->world_size)) : Value());
    if (data) ranks_of[data->rank].push_back(rank);
  }
  if (!all_equal(world_sizes)) return values_text("world_size of the data", world_sizes);
  if (ranks_of.empty()) return "";
  return incomplete_set_text(ranks_of, statements.front().data->world_size, statements.size());
}

}  // namespace

std::string values_text(const std::string& name, const std::vector<Value>& values) {
  const std::vector<Group> groups = groups_of(values);
  const std::size_t common = common_length(groups);
  std::string text = name + ":";
  for (std::size_t i = 0; i < std::min(groups.size(), max_groups); ++i) {
    const Group& group = groups[i];
    text += fmt::format("{} {} {} {}", i > 0 ? "," : "", rank_list(group.ranks),
                        group.ranks.size() == 1 ? "has" : "have", shortened(group.value, common));
  }
  if (groups.size() > max_groups)
    text += fmt::format(", and there are {} other values", groups.size() - max_groups);
  return text;
}

std::vector<std::string> disagreements(const std::vector<Statement>& statements) {
  std::vector<std::string> lines;
  for (const std::string& name : names_of(statements)) {
    const std::vector<Value> values = values_of(statements, name);
    if (!all_equal(values)) lines.push_back(values_text(name, values));
  }
  std::string data = data_disagreement(statements);
  if (!data.empty()) lines.push_back(std::move(data));
  return lines;
}

}  // namespace stoker
