#include "bindings/torch/check_options.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace stoker::torch {
namespace {

/// One sample of a byte, which nobody asks for.
class OneByte final : public Producer {
 public:
  std::uint64_t size() const override { return 1; }
  const std::vector<FieldSpec>& fields() const override { return fields_; }
  std::string name(std::uint64_t /*index*/) const override { return "byte"; }
  std::string fingerprint() const override { return "one byte"; }
  std::string pipeline() const override { return "none"; }
  bool in_memory() const override { return true; }
  Status read(std::uint64_t /*index*/, EncodedSample& /*sample*/) const override { return {}; }
  Status produce(std::uint64_t /*index*/, const EncodedSample& /*sample*/, const SamplePlace& place,
                 const RandomKey& /*key*/, ProduceCounters& /*counters*/) const override {
    *place[0] = std::byte{0};
    return {};
  }

 private:
  std::vector<FieldSpec> fields_{{"byte", DType::uint8, {}}};
};

}  // namespace

void check_options(LoaderOptions options) {
  options.batch_size = 1;
  options.static_batch = false;
  options.device = host();
  if (options.num_workers > 0) {  // as many as that are checked, and not started
    options.workers = std::make_shared<WorkerPool>(1, WorkerPoolOptions{.own_threads = true});
  }
  const Loader loader(std::make_shared<OneByte>(), std::move(options));
}

}  // namespace stoker::torch
