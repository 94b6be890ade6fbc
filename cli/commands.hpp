#pragma once

namespace CLI {
class App;
}

namespace stoker::cli {

// Each adds one subcommand, whose callback runs it: figures and results go to stdout, progress to
// stderr, and every mistake is thrown.

/// `stoker order`: prints the order of an epoch.
void add_order(CLI::App& app);
/// `stoker apply`: runs a pipeline on one image.
void add_apply(CLI::App& app);
/// `stoker bench`: measures how fast batches come out.
void add_bench(CLI::App& app);
/// `stoker synth`: makes a data set of JPEGs.
void add_synth(CLI::App& app);

}  // namespace stoker::cli
