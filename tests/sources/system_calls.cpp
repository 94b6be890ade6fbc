#include "tests/sources/system_calls.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <cstdarg>

namespace stoker {

std::atomic<int> SystemCalls::opens = 0;
std::atomic<int> SystemCalls::looks = 0;

}  // namespace stoker

extern "C" int open(const char* path, int flags, ...) {
  using Open = int (*)(const char*, int, ...);
  static const auto real = reinterpret_cast<Open>(::dlsym(RTLD_NEXT, "open"));
  ++stoker::SystemCalls::opens;
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return real(path, flags, mode);
}

extern "C" int fstatat(int directory, const char* path, struct stat* status, int flags) noexcept {
  using Fstatat = int (*)(int, const char*, struct stat*, int);
  static const auto real = reinterpret_cast<Fstatat>(::dlsym(RTLD_NEXT, "fstatat"));
  ++stoker::SystemCalls::looks;
  return real(directory, path, status, flags);
}
