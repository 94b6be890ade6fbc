#pragma once

namespace stoker::cli {

/// Runs the `stoker` command. Returns its exit status: 0, or 1 with one line on stderr.
int run(int argc, const char* const* argv);

}  // namespace stoker::cli
