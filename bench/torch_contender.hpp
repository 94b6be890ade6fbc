#pragma once

#include "bench/contender.hpp"
#include "bench/torch_seam.hpp"

#include <memory>
#include <string>

namespace stoker::bench {

/// The module that holds LibTorch, loaded when it is first needed and never unloaded (LibTorch's
/// threads and registries do not outlive an unloading).
class TorchModule {
 public:
  /// Looks beside the executable, then in the installed module folder.
  /// @throws Error(unsupported) where the build has no such module or it cannot be loaded.
  TorchModule();

  const TorchApi& api() const noexcept { return *api_; }
  std::string version() const { return api_->version(); }

 private:
  const TorchApi* api_ = nullptr;
};

/// Measures LibTorch's own data loader on the workload.
class TorchContender : public Contender {
 public:
  /// @throws Error(unsupported) where LibTorch's side does not know a step of the pipeline.
  TorchContender(const TorchModule& module, const Workload& workload, TorchDecoder decoder);

  Measurement describe() const override;
  Repetition run(std::uint64_t epoch, const Progress& progress) override;

 private:
  struct Close {
    const TorchApi* api;
    void operator()(TorchLoader* loader) const noexcept { api->close(loader); }
  };

  TorchDecoder decoder_;
  int num_workers_;
  std::unique_ptr<TorchLoader, Close> loader_;
};

}  // namespace stoker::bench
