#include <stoker/engine/loader.hpp>

#include "src/engine/image_producer.hpp"
#include "src/engine/loader_core.hpp"
#include "src/engine/state_file.hpp"

namespace stoker {
namespace {

Statement place_of(const LoaderState& state) {
  return {{{"call", "load_state"},
           {"epoch of the state", std::to_string(state.epoch)},
           {"position of the state", std::to_string(state.position)}},
          {}};
}

/// Makes a loader's core from what `make_producer()` returns. Whatever one rank meets alone, the
/// others must hear of.
template <class MakeProducer>
std::unique_ptr<LoaderCore> make_core(MakeProducer make_producer, LoaderOptions options) {
  const std::shared_ptr<Communicator> communicator = options.communicator;
  std::unique_ptr<LoaderCore> core;
  const auto make = [&] {
    core = std::make_unique<LoaderCore>(make_producer(), std::move(options));
  };
  if (communicator) {
    agree(*communicator, prepare_or_report(*communicator, [&] {
      make();
      return core->statement();
    }));
  } else {
    make();
  }
  core->start();
  return core;
}

std::shared_ptr<const Producer> checked(std::shared_ptr<const Producer> producer) {
  if (!producer) throw Error(ErrorCode::invalid_argument, "the loader needs a producer");
  return producer;
}

}  // namespace

Loader::Loader(const Source& source, const Pipeline& pipeline, LoaderOptions options)
    : core_(make_core(
          [&source, &pipeline,
           placement = ImagePlacement{options.finish, options.resize_on, options.crop_bytes,
                                      options.device && !options.device->zero_copy()}] {
            return std::make_shared<ImageProducer>(source, pipeline, placement);
          },
          options)) {}

Loader::Loader(std::shared_ptr<const Producer> producer, LoaderOptions options)
    : core_(make_core([&] { return checked(std::move(producer)); }, std::move(options))) {}

Loader::~Loader() = default;
Loader::Loader(Loader&&) noexcept = default;
Loader& Loader::operator=(Loader&&) noexcept = default;

Epoch Loader::epoch(std::uint64_t epoch, bool last) {
  const std::uint64_t ticket = core_->start_epoch(epoch, last);
  return Epoch(*core_, ticket, core_->steps());
}

LoaderState Loader::state() const { return core_->state(); }

void Loader::load_state(const LoaderState& state) {
  if (Communicator* const communicator = core_->options().communicator.get()) {
    agree(*communicator, prepare_or_report(*communicator, [&] {
      core_->check(state);
      return place_of(state);
    }));
  } else {
    core_->check(state);
  }
  core_->resume(state);
}

std::uint64_t Loader::resume_or_start(const std::filesystem::path& path) {
  const std::optional<LoaderState> state = find_state(path, core_->options().communicator.get());
  if (!state) return 0;
  try {
    load_state(*state);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::bad_state) throw;
    throw Error(error.code(), "\"" + path.string() + "\": " + error.message());
  }
  return state->epoch;
}

std::uint64_t Loader::size() const noexcept { return core_->batches_per_epoch(); }
const LoaderOptions& Loader::options() const noexcept { return core_->options(); }
const std::vector<FieldSpec>& Loader::fields() const noexcept { return core_->fields(); }
Stats Loader::stats() const { return core_->stats(); }
void Loader::reset_stats() { core_->reset_stats(); }

Epoch::Epoch(LoaderCore& core, std::uint64_t ticket, std::uint64_t size)
    : core_(&core), ticket_(ticket), size_(size) {}

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
