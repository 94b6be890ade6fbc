#include <stoker/distributed/mesh.hpp>

#include <stoker/core/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <set>
#include <string_view>
#include <utility>

namespace stoker {
namespace {

[[noreturn]] void fail_mesh(const std::string& message) {
  throw Error(ErrorCode::invalid_argument, message);
}

std::string text_of(const std::vector<MeshDimension>& dimensions) {
  std::vector<std::string> parts;
  for (const MeshDimension& dimension : dimensions)
    parts.push_back(fmt::format("{}: {}", dimension.name, dimension.size));
  return fmt::format("{{{}}}", fmt::join(parts, ", "));
}

void check_dimensions(const std::vector<MeshDimension>& dimensions) {
  if (dimensions.empty()) fail_mesh("a mesh needs at least one dimension");
  std::set<std::string_view> names;
  for (const MeshDimension& dimension : dimensions) {
    const std::string text = text_of(dimensions);
    if (dimension.name.empty())
      fail_mesh(fmt::format("mesh {} has a dimension without name", text));
    if (dimension.size == 0)
      fail_mesh(fmt::format("mesh {} has no rank: {} is 0", text, dimension.name));
    if (!names.insert(dimension.name).second)
      fail_mesh(fmt::format("mesh {} has the dimension {} twice", text, dimension.name));
  }
}

void check_data_dimensions(const Mesh& mesh, const std::vector<std::string>& wanted) {
  std::set<std::string_view> names;
  for (const std::string& name : wanted) {
    const auto& dimensions = mesh.dimensions();
    if (std::none_of(dimensions.begin(), dimensions.end(),
                     [&](const MeshDimension& dimension) { return dimension.name == name; }))
      fail_mesh(
          fmt::format("mesh {} has no dimension {} to divide the data along", mesh.text(), name));
    if (!names.insert(name).second)
      fail_mesh(fmt::format("the data dimension {} is named twice", name));
  }
}

}  // namespace

Mesh::Mesh(std::vector<MeshDimension> dimensions) : dimensions_(std::move(dimensions)) {
  check_dimensions(dimensions_);
  for (const MeshDimension& dimension : dimensions_) {
    if (dimension.size > std::numeric_limits<std::uint64_t>::max() / size_)
      fail_mesh(fmt::format("mesh {} has more than 2^64 - 1 ranks", text()));
    size_ *= dimension.size;
  }
}

std::vector<std::uint64_t> Mesh::coordinates(std::uint64_t rank) const {
  if (rank >= size_)
    fail_mesh(fmt::format("there is no rank {} in the {} of mesh {}", rank, size_, text()));
  std::vector<std::uint64_t> coordinates(dimensions_.size());
  for (std::size_t i = dimensions_.size(); i-- > 0;) {
    coordinates[i] = rank % dimensions_[i].size;
    rank /= dimensions_[i].size;
  }
  return coordinates;
}

std::string Mesh::text() const { return text_of(dimensions_); }

DataRanks data_ranks(const Mesh& mesh, const Ranks& ranks,
                     const std::vector<std::string>& data_dimensions) {
  if (mesh.size() != ranks.world_size)
    fail_mesh(fmt::format("mesh {} is for {} ranks, but there are {} ({})", mesh.text(),
                          mesh.size(), ranks.world_size, ranks.origin));
  check_data_dimensions(mesh, data_dimensions);
  const std::vector<std::uint64_t> coordinates = mesh.coordinates(ranks.rank);
  DataRanks data;
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    const MeshDimension& dimension = mesh.dimensions()[i];
    if (std::find(data_dimensions.begin(), data_dimensions.end(), dimension.name) ==
        data_dimensions.end())
      continue;
    data.rank = data.rank * dimension.size + coordinates[i];
    data.world_size *= dimension.size;
  }
  return data;
}

}  // namespace stoker
