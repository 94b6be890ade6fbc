#include "bindings/torch/sample_loader_impl.hpp"
#include "bindings/torch/saved_batches.hpp"
#include <stoker/torch/state.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace stoker::torch {
namespace {

constexpr const char* epochs_key = "stoker_epochs";
constexpr const char* loader_key = "stoker_loader";
constexpr const char* sampler_key = "stoker_sampler";
constexpr const char* made_for_key = "stoker_made_for";

[[noreturn]] void refuse_state(const char* why) { throw Error(ErrorCode::bad_state, why); }

std::uint64_t read_epochs(::torch::serialize::InputArchive& archive) {
  c10::IValue epochs;
  if (!archive.try_read(epochs_key, epochs) || !epochs.isInt() || epochs.toInt() < 0) {
    refuse_state("the archive holds no state of a stoker data loader");
  }
  return static_cast<std::uint64_t>(epochs.toInt());
}

/// What a state goes with where a LibTorch sampler made it.
std::string made_for(const SampleSource& source, const SampleOrder& order) {
  const std::string size = source.size ? std::to_string(*source.size) : "unknown size";
  return "a dataset of " + size + " in the order of " + order.name;
}

void check_made_for(::torch::serialize::InputArchive& archive, const std::string& here) {
  c10::IValue saved;
  if (!archive.try_read(made_for_key, saved) || !saved.isString()) {
    refuse_state("the archive does not say what its batches are of");
  }
  if (saved.toStringRef() == here) return;
  throw Error(ErrorCode::bad_state,
              "the archive holds a state for " + saved.toStringRef() + "; this loader has " + here);
}

}  // namespace

/// A LibTorch sampler's batches that were not delivered.
std::vector<DrawnBatches::Indices> SampleLoader::Impl::left() const {
  if (restored) return *restored;
  return {drawn.begin() + static_cast<std::ptrdiff_t>(std::min(delivered, drawn.size())),
          drawn.end()};
}

void SampleLoader::Impl::save_native(::torch::serialize::OutputArchive& archive) const {
  if (!state && !epoch) return;  // before the first epoch
  ::torch::serialize::OutputArchive nested;
  nested << (state ? *state : loader->state());
  archive.write(loader_key, nested);
}

void SampleLoader::Impl::save_drawn(::torch::serialize::OutputArchive& archive) const {
  if (!options.enforce_ordering()) {
    throw Error(ErrorCode::invalid_state,
                "a state needs enforce_ordering: batches that were delivered as they came are not "
                "the first ones");
  }
  archive.write(made_for_key, c10::IValue(made_for(source, order)));
  write_batches(archive, left());
  ::torch::serialize::OutputArchive nested;
  order.save(nested);
  archive.write(sampler_key, nested);
}

void SampleLoader::save(::torch::serialize::OutputArchive& archive) const {
  // An epoch that is to go on counts as begun.
  const std::uint64_t begun = impl_->epochs + (impl_->restored ? 1 : 0);
  archive.write(epochs_key, c10::IValue(static_cast<std::int64_t>(begun)));
  impl_->order.sampler ? impl_->save_native(archive) : impl_->save_drawn(archive);
}

void SampleLoader::Impl::load_native(::torch::serialize::InputArchive& archive) {
  const std::uint64_t begun = read_epochs(archive);
  std::optional<LoaderState> saved;
  ::torch::serialize::InputArchive nested;
  if (archive.try_read(loader_key, nested)) {
    nested >> saved.emplace();
  } else if (begun > 0) {
    refuse_state("the archive holds no place in the order of a sampler of stoker's");
  }
  if (loader && saved) loader->load_state(*saved);  // is refused here, where it can be
  if (!saved) end_loader();  // it may have been given another place to go on from
  epoch.reset();
  state = std::move(saved);
  epochs = begun;
}

void SampleLoader::Impl::load_drawn(::torch::serialize::InputArchive& archive) {
  const std::uint64_t begun = read_epochs(archive);
  check_made_for(archive, made_for(source, order));
  std::vector<Indices> batches = read_batches(archive, source.size);
  if (begun == 0 && !batches.empty()) {
    refuse_state("the number of epochs in the archive is damaged");
  }
  load_sampler(archive);
  // An epoch in work goes on under its number, of which the loader may know other batches.
  end_loader();
  epochs = batches.empty() ? begun : begun - 1;
  restored.reset();
  drawn.clear();
  if (!batches.empty()) restored = std::move(batches);
}

/// A sampler says in its own way what it misses in an archive.
void SampleLoader::Impl::load_sampler(::torch::serialize::InputArchive& archive) const {
  ::torch::serialize::InputArchive nested;
  if (!archive.try_read(sampler_key, nested)) refuse_state("the archive holds no sampler");
  try {
    order.load(nested);
  } catch (const c10::Error& error) {
    throw Error(ErrorCode::bad_state,
                std::string("the archive's sampler is damaged: ") + error.what_without_backtrace());
  }
}

void SampleLoader::load(::torch::serialize::InputArchive& archive) {
  impl_->order.sampler ? impl_->load_native(archive) : impl_->load_drawn(archive);
}

}  // namespace stoker::torch
