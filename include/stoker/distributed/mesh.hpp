#pragma once

#include <stoker/distributed/ranks.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace stoker {

/// One way in which the ranks of a run are divided, e.g. {"tp", 2}.
struct MeshDimension {
  std::string name;
  std::uint64_t size = 1;
};

/// The ranks of a run in a grid, e.g. Mesh({{"dp", 4}, {"tp", 2}}) for 4 groups of 2. Row-major as
/// torch's init_device_mesh has it: the last dimension is the fastest, so there ranks 0 and 1 are
/// tensor parallel to each other.
class Mesh {
 public:
  /// @throws Error(invalid_argument) for no dimension, a name that is empty or comes twice, a size
  /// of 0, or a product beyond 64 bits.
  explicit Mesh(std::vector<MeshDimension> dimensions);

  const std::vector<MeshDimension>& dimensions() const noexcept { return dimensions_; }
  /// Number of ranks: the product of the dimensions' sizes.
  std::uint64_t size() const noexcept { return size_; }
  /// Returns a rank's place in each dimension. @throws Error(invalid_argument) where there is no
  /// such rank.
  std::vector<std::uint64_t> coordinates(std::uint64_t rank) const;
  /// E.g. "{dp: 4, tp: 2}".
  std::string text() const;

 private:
  std::vector<MeshDimension> dimensions_;
  std::uint64_t size_ = 1;
};

/// Returns which part of the data a rank gets, where data are divided along some of the mesh's
/// dimensions and ranks that differ only in others get the same. Several, such as {"dp_replicate",
/// "dp_shard"}, count row-major in the mesh's order; with none all ranks get the same data.
/// @throws Error(invalid_argument) where the mesh's size is not world_size, a dimension is not in
/// the mesh or named twice.
DataRanks data_ranks(const Mesh& mesh, const Ranks& ranks,
                     const std::vector<std::string>& data_dimensions = {"dp"});

}  // namespace stoker
