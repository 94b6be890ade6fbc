// Ends while its loader works, copies are in flight and batches are held:
// exit_midway host|simulated|cuda|unpinned exit|static|global
#include "bench/spin_kernel.hpp"
#include "tests/engine/fake_producer.hpp"
#include <stoker/device/cuda.hpp>
#include <stoker/device/simulated.hpp>
#include <stoker/engine/loader.hpp>

#include <cstdlib>
#include <iostream>
#include <optional>
#include <string_view>

namespace stoker::testing {
namespace {

DevicePtr device_named(std::string_view name) {
  if (name == "host") return host();
  if (name == "simulated") return simulated(1);
  return cuda(0, {.pin_memory = name == "cuda"});
}

LoaderOptions options_for(const DevicePtr& device) {
  LoaderOptions options;
  options.device = device;
  if (device->id().kind == DeviceId::Kind::cuda) options.stream = device->create_stream();
  options.batch_size = 16;
  options.num_workers = 2;
  options.device_prefetch = 3;
  return options;
}

/// A loader and what its consumer holds.
class Consumer {
 public:
  explicit Consumer(const DevicePtr& device)
      : options_(options_for(device)),
        loader_(std::make_shared<FakeProducer>(100'000, false, 1 << 20), options_),
        epoch_(loader_.epoch(0)),
        first_(*epoch_.next()),
        second_(*epoch_.next()) {
    std::optional<Batch> third = epoch_.next();
    if (device->id().kind == DeviceId::Kind::cuda) {
      bench::launch_spin(reinterpret_cast<cudaStream_t>(options_.stream.handle), 1'000'000'000);
    }
    third->release();  // the copy that takes its place waits for the kernel
  }

 private:
  LoaderOptions options_;
  Loader loader_;
  Epoch epoch_;
  Batch first_, second_;
};

std::optional<Consumer> global;

void leave_static(const DevicePtr& device) { static const Consumer consumer(device); }

int run(std::string_view device_name, std::string_view way) {
  const DevicePtr device = device_named(device_name);
  if (way == "exit") {
    const Consumer consumer(device);
    std::exit(0);
  }
  if (way == "static") leave_static(device);
  if (way == "global") global.emplace(device);
  return 0;
}

}  // namespace
}  // namespace stoker::testing

int main(int count, char** arguments) {
  if (count != 3) return 2;
  try {
    return stoker::testing::run(arguments[1], arguments[2]);
  } catch (const stoker::Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
