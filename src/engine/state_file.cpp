#include "src/engine/state_file.hpp"

#include "src/sources/read_file.hpp"
#include <stoker/distributed/agreement.hpp>

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

namespace stoker {
namespace {

std::string read_text(const std::filesystem::path& path) {
  std::vector<std::byte> storage;
  const Result<std::span<const std::byte>> bytes = read_file(path.string(), storage);
  if (!bytes && bytes.error().code == ErrorCode::empty_file) return {};
  if (!bytes) throw Error(bytes.error().code, bytes.error().message);
  return {reinterpret_cast<const char*>(bytes->data()), bytes->size()};
}

std::optional<LoaderState> read_state(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) return std::nullopt;
  try {
    return LoaderState::parse(read_text(path));
  } catch (const Error& error) {
    if (error.code() != ErrorCode::bad_state) throw;
    throw Error(error.code(), fmt::format("\"{}\": {}", path.string(), error.message()));
  }
}

/// Returns what ranks found; the first, where several have found the same place.
std::optional<LoaderState> common_state(const std::vector<std::string>& texts) {
  std::optional<LoaderState> common;
  std::size_t finder = 0;
  for (std::size_t rank = 0; rank < texts.size(); ++rank) {
    if (texts[rank].empty()) continue;
    LoaderState found = LoaderState::parse(texts[rank]);
    if (common && (found.epoch != common->epoch || found.position != common->position)) {
      throw Error(
          ErrorCode::ranks_disagree,
          fmt::format("the states were saved at different steps: rank {} found epoch {}, "
                      "position {}, rank {} epoch {}, position {}",
                      finder, common->epoch, common->position, rank, found.epoch, found.position));
    }
    if (!common) {
      common = std::move(found);
      finder = rank;
    }
  }
  return common;
}

}  // namespace

std::optional<LoaderState> find_state(const std::filesystem::path& path,
                                      Communicator* communicator) {
  if (communicator == nullptr) return read_state(path);
  std::optional<LoaderState> mine;
  const auto read = [&] {
    mine = read_state(path);
    return Statement{{{"call", "resume_or_start"}}, {}};
  };
  agree(*communicator, prepare_or_report(*communicator, read));
  return common_state(communicator->all_gather(mine ? mine->json() : std::string()));
}

}  // namespace stoker
