// Opens the first CUDA device and says what came of it; exit status 3 where there was an error.
#include <stoker/core/error.hpp>
#include <stoker/device/cuda.hpp>

#include <cstdio>

namespace {

int open_device() {
  try {
    stoker::cuda(0);
  } catch (const stoker::Error& error) {
    std::printf("%s\n", error.what());
    return 3;
  }
  std::puts("opened");
  return 0;
}

}  // namespace

int main() {
  std::printf("%d devices\n", stoker::cuda_device_count());
  const int first = open_device();
  // Asked again, the same is said.
  return open_device() == first ? first : 1;
}
