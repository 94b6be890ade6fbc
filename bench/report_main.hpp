#pragma once

#include "bench/json_file.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <exception>
#include <string>

namespace stoker::bench {

/// The main function of a program that measures something: reads `options` (which have a member
/// `json`, the file to write figures to), measures, prints and writes the report.
template <class Options>
int report_main(int argc, char** argv, const char* purpose, Options options,
                void (*add_options)(CLI::App&, Options&),
                nlohmann::ordered_json (*measure)(const Options&),
                void (*print)(const nlohmann::ordered_json&)) {
  CLI::App app(purpose);
  add_options(app, options);
  app.add_option("--json", options.json, "Write the figures to this file");
  CLI11_PARSE(app, argc, argv);
  try {
    check_json_file(options.json);
    const nlohmann::ordered_json report = measure(options);
    print(report);
    if (!options.json.empty()) write_json(report, options.json);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", argv[0], error.what());
    return 1;
  }
}

}  // namespace stoker::bench
