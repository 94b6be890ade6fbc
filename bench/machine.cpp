#include "bench/machine.hpp"

#include <stoker/engine/worker_pool.hpp>

#include <cstdio>
#include <fmt/format.h>
#include <jpeglib.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#define STOKER_BENCH_TEXT_OF(macro) STOKER_BENCH_TEXT(macro)
#define STOKER_BENCH_TEXT(tokens) #tokens

namespace stoker::bench {
namespace {

/// The value of the first line "key: value" of a file of /proc; empty where there is none.
std::string proc_value(const char* file, std::string_view key) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(key)) continue;
    const std::size_t start = line.find_first_not_of(" \t", line.find(':') + 1);
    return start == std::string::npos ? std::string() : line.substr(start);
  }
  return {};
}

std::uint64_t proc_kilobytes(const char* file, std::string_view key) {
  std::uint64_t kilobytes = 0;
  std::istringstream(proc_value(file, key)) >> kilobytes;
  return kilobytes * 1024;
}

std::string kernel() {
  utsname names{};
  ::uname(&names);
  return fmt::format("{} {}", names.sysname, names.release);
}

std::string distribution() {
  std::ifstream lines("/etc/os-release");
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("PRETTY_NAME=\"")) return line.substr(13, line.size() - 14);
  }
  return {};
}

std::string compiler() {
#ifdef __clang__
  return "clang " __clang_version__;
#else
  return "gcc " __VERSION__;
#endif
}

}  // namespace

nlohmann::ordered_json describe_machine() {
  return {{"cpu", proc_value("/proc/cpuinfo", "model name")},
          {"cores_online", ::sysconf(_SC_NPROCESSORS_ONLN)},
          {"cores_available", available_processors()},
          {"memory_bytes", memory_bytes()},
          {"system", distribution()},
          {"kernel", kernel()},
          {"compiler", compiler()},
          {"build_type", STOKER_BUILD_TYPE},
          {"libraries",
           {{"stoker", STOKER_VERSION},
            {"libjpeg-turbo", STOKER_BENCH_TEXT_OF(LIBJPEG_TURBO_VERSION)},
            {"opencv", STOKER_OPENCV_VERSION}}}};
}

std::uint64_t memory_bytes() { return proc_kilobytes("/proc/meminfo", "MemTotal"); }

bool reset_peak_memory() {
  std::ofstream file("/proc/self/clear_refs");
  file << "5" << std::flush;
  return file.good();
}

std::uint64_t peak_memory_bytes() { return proc_kilobytes("/proc/self/status", "VmHWM"); }

std::uint64_t resident_bytes() { return proc_kilobytes("/proc/self/status", "VmRSS"); }

}  // namespace stoker::bench
