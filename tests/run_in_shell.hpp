#pragma once

#include <sys/wait.h>

#include <cstdio>
#include <stdexcept>
#include <string>

namespace stoker::testing {

/// What a program said, on stdout and stderr, and how it ended.
struct ProgramResult {
  int status = -1;  ///< exit status; 124 where it was stopped for taking too long
  std::string output;
};

/// Runs a program of a shell's command line, "NAME=value program argument", for at most so long.
inline ProgramResult run_in_shell(const std::string& command, int seconds = 60) {
  const std::string limited = "timeout -k 5 " + std::to_string(seconds) + " env " + command;
  std::FILE* const pipe = ::popen((limited + " 2>&1").c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("popen failed");
  ProgramResult result;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) {
    result.output += static_cast<char>(c);
  }
  const int status = ::pclose(pipe);
  if (WIFEXITED(status)) result.status = WEXITSTATUS(status);
  return result;
}

}  // namespace stoker::testing
