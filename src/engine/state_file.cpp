#include "src/engine/state_file.hpp"

#include "src/sources/file_errors.hpp"
#include "src/sources/read_file.hpp"
#include <stoker/distributed/agreement.hpp>

#include <fmt/format.h>

#include <cerrno>
#include <string>
#include <system_error>
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

/// Whether there is a file to read. A link that leads nowhere is none, but not a new run either:
/// what it leads to may not be mounted.
bool is_there(const std::filesystem::path& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::exists(status)) return true;
  if (!fs::status_known(status)) throw_file_error(path.string(), error.value());
  if (fs::is_symlink(fs::symlink_status(path, error))) throw_file_error(path.string(), ENOENT);
  return false;
}

/// A state is small: what is not is no state, and need not be read.
void check_size(const std::filesystem::path& path) {
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(path, error);
  if (error || bytes <= LoaderState::most_bytes) return;  // what cannot be read says so
  throw Error(ErrorCode::bad_state,
              fmt::format("\"{}\": this is no saved state: it has {} bytes, a state has {} at most",
                          path.string(), bytes, LoaderState::most_bytes));
}

std::optional<LoaderState> read_state(const std::filesystem::path& path) {
  if (!is_there(path)) return std::nullopt;
  check_size(path);
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
    if (common && found != *common) {
      const bool same_place = found.epoch == common->epoch && found.position == common->position;
      throw Error(
          ErrorCode::ranks_disagree,
          fmt::format("the states {}: rank {} found epoch {}, position {}, rank {} epoch "
                      "{}, position {}",
                      same_place ? "are of different runs" : "were saved at different steps",
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
