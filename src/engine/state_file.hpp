#pragma once

#include <stoker/distributed/communicator.hpp>
#include <stoker/engine/loader_state.hpp>

#include <filesystem>
#include <optional>

namespace stoker {

/// Reads the state in a file; nothing where there is no file. With a communicator, collectively:
/// every rank gets the state that some ranks found.
/// @throws Error(permission_denied), Error(io_error), Error(bad_state) where it cannot be read,
/// Error(ranks_disagree) where ranks found states of different places or one rank failed.
std::optional<LoaderState> find_state(const std::filesystem::path& path,
                                      Communicator* communicator);

}  // namespace stoker
