#include <stoker/engine/loader.hpp>

#include "src/engine/image_producer.hpp"
#include "src/engine/loader_core.hpp"

namespace stoker {

Loader::Loader(const Source& source, const Pipeline& pipeline, LoaderOptions options)
    : Loader(std::make_shared<ImageProducer>(source, pipeline), std::move(options)) {}

Loader::Loader(std::shared_ptr<const Producer> producer, LoaderOptions options) {
  if (!producer) throw Error(ErrorCode::invalid_argument, "the loader needs a producer");
  core_ = std::make_unique<LoaderCore>(std::move(producer), std::move(options));
}

Loader::~Loader() = default;
Loader::Loader(Loader&&) noexcept = default;
Loader& Loader::operator=(Loader&&) noexcept = default;

Epoch Loader::epoch(std::uint64_t epoch, bool last) {
  return Epoch(*core_, core_->start_epoch(epoch, last));
}

std::uint64_t Loader::size() const noexcept { return core_->batches_per_epoch(); }
const LoaderOptions& Loader::options() const noexcept { return core_->options(); }
const std::vector<FieldSpec>& Loader::fields() const noexcept { return core_->fields(); }
Stats Loader::stats() const { return core_->stats(); }
void Loader::reset_stats() { core_->reset_stats(); }

Epoch::Epoch(LoaderCore& core, std::uint64_t ticket) : core_(&core), ticket_(ticket) {}

std::optional<Batch> Epoch::next() { return next(core_->options().stream); }
std::optional<Batch> Epoch::next(StreamRef stream) { return core_->next(ticket_, stream); }

Epoch::Iterator& Epoch::Iterator::operator++() {
  epoch_->current_.release();
  if (std::optional<Batch> batch = epoch_->next()) {
    epoch_->current_ = std::move(*batch);
  } else {
    epoch_ = nullptr;
  }
  return *this;
}

}  // namespace stoker
