#include "cli/app.hpp"

#include "cli/commands.hpp"
#include <stoker/core/edit_distance.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stoker::cli {
namespace {

constexpr const char* footer =
    "Examples:\n"
    "  stoker bench photos/train --num-workers 8 --compare torch --limit\n"
    "  stoker apply 'resize(256) | center_crop(224)' photo.jpg small.png\n"
    "  stoker order --size 1281167 --shuffle --seed 42 --sha256\n"
    "`stoker COMMAND --help` says more about each.";

/// Prints a message with nothing in it that a terminal would obey; a file's content may be part of
/// it.
int report(std::string message) {
  const auto harmful = [](unsigned char c) { return (c < ' ' && c != '\n') || c == 127; };
  std::replace_if(message.begin(), message.end(), harmful, '?');
  fmt::print(stderr, "stoker: {}\n", message);
  return 1;
}

/// "; did you mean 'order'?" where a subcommand's name is close.
std::string suggestion(const CLI::App& app, const std::string& word) {
  std::size_t nearest = 3;
  std::string text;
  for (const CLI::App* command : app.get_subcommands({})) {
    const std::size_t distance = edit_distance(word, command->get_name());
    if (distance >= nearest) continue;
    nearest = distance;
    text = fmt::format("; did you mean '{}'?", command->get_name());
  }
  return text;
}

/// What was printed may never have arrived: a full disk shows only when the buffers are written.
int check_output() {
  std::cout.flush();
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout) return 0;
  return report("io_error: the output could not be written");
}

bool is_command(const CLI::App& app, std::string_view word) {
  const auto commands = app.get_subcommands({});
  return std::any_of(commands.begin(), commands.end(),
                     [&](const CLI::App* command) { return command->get_name() == word; });
}

/// What is wrong with the arguments, in one line.
std::string mistake(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError)) {
    const auto words = app.remaining(true);
    const auto option = std::find_if(words.begin(), words.end(),
                                     [](const std::string& word) { return word.starts_with("-"); });
    return fmt::format("there is no place for '{}'", option == words.end() ? words[0] : *option);
  }
  std::string message = error.what();
  std::replace(message.begin(), message.end(), '\n', ' ');
  return message;
}

int report_parse_error(const CLI::App& app, const CLI::ParseError& error, int argc,
                       const char* const* argv) {
  if (error.get_exit_code() == 0) return app.exit(error);  // --help and --version
  if (argc > 1 && argv[1][0] != '-' && !is_command(app, argv[1])) {
    return report(fmt::format("there is no command '{}'{}", argv[1], suggestion(app, argv[1])));
  }
  return report(fmt::format("{} (see --help)", mistake(app, error)));
}

}  // namespace

int run(int argc, const char* const* argv) {
  CLI::App app("Feeds training loops: measures, tries and explains input pipelines.", "stoker");
  app.footer(footer);
  app.set_version_flag("--version", "stoker " STOKER_VERSION);
  app.require_subcommand(1);
  add_bench(app);
  add_apply(app);
  add_order(app);
  add_synth(app);
  try {
    app.parse(argc, argv);
    return check_output();
  } catch (const CLI::ParseError& error) {
    const int status = report_parse_error(app, error, argc, argv);
    return status == 0 ? check_output() : status;
  } catch (const std::bad_alloc&) {
    return report("out_of_memory: not enough memory for this size");
  } catch (const std::exception& error) {
    return report(error.what());
  }
}

}  // namespace stoker::cli
