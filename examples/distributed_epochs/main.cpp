// One program for all ranks of a run:
//
//   mpirun -n 4 distributed_epochs [--name value]...
//   RANK=0 WORLD_SIZE=4 distributed_epochs [--name value]...     (and so on for ranks 1 to 3)
//
// Walks over data made by a formula and prints which samples each rank got. Under mpirun the ranks
// first check that they agree: `mpirun -n 3 distributed_epochs : -n 1 distributed_epochs --seed 9`
// gives each of them the same error.
#include <stoker/stoker.hpp>

#ifdef WITH_MPI
#include <stoker/mpi.hpp>
#endif

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace {

/// Samples of eight points on a sine wave each, computed on the workers.
class Waves final : public stoker::Producer {
 public:
  explicit Waves(std::uint64_t size) : size_(size) {}

  std::uint64_t size() const override { return size_; }
  const std::vector<stoker::FieldSpec>& fields() const override { return fields_; }
  std::string name(std::uint64_t index) const override { return "wave " + std::to_string(index); }
  std::string fingerprint() const override { return std::to_string(size_) + " waves"; }
  std::string pipeline() const override { return "sample(8)"; }
  bool in_memory() const override { return true; }

  stoker::Status read(std::uint64_t, stoker::EncodedSample&) const override { return {}; }
  stoker::Status produce(std::uint64_t index, const stoker::EncodedSample&,
                         const stoker::SamplePlace& place, const stoker::RandomKey&,
                         stoker::ProduceCounters&) const override {
    auto* points = reinterpret_cast<float*>(place[0]);
    for (std::uint64_t i = 0; i < 8; ++i)
      points[i] = std::sin(static_cast<float>(index * 8 + i) / 100.0F);
    return {};
  }

 private:
  std::uint64_t size_;
  std::vector<stoker::FieldSpec> fields_ = {{"wave", stoker::DType::float32, {8}}};
};

/// What the command line says.
struct Settings {
  std::uint64_t size = 1003;
  std::uint64_t epochs = 2;
  std::uint64_t seed = 42;
  stoker::Remainder remainder = stoker::Remainder::pad;
  bool show_indices = false;
};

[[noreturn]] void refuse(const std::string& why) {
  throw stoker::Error(stoker::ErrorCode::invalid_argument, why);
}

std::uint64_t number(const std::string& option, const std::string& text) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [next, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || next != end) refuse(option + " takes a number from 0, not " + text);
  return value;
}

bool shows_indices(const std::string& text) {
  if (text == "indices") return true;
  if (text == "nothing") return false;
  refuse("--show is indices or nothing, not " + text);
}

stoker::Remainder remainder(const std::string& text) {
  for (const auto rule :
       {stoker::Remainder::pad, stoker::Remainder::drop, stoker::Remainder::uneven}) {
    if (stoker::name(rule) == text) return rule;
  }
  refuse("--remainder is pad, drop or uneven, not " + text);
}

Settings read_settings(int argc, char** argv) {
  Settings settings;
  for (int i = 1; i < argc; i += 2) {
    const std::string option = argv[i];
    if (i + 1 == argc) refuse(option + " takes a value");
    const std::string value = argv[i + 1];
    if (option == "--size") {
      settings.size = number(option, value);
    } else if (option == "--epochs") {
      settings.epochs = number(option, value);
    } else if (option == "--seed") {
      settings.seed = number(option, value);
    } else if (option == "--remainder") {
      settings.remainder = remainder(value);
    } else if (option == "--show") {
      settings.show_indices = shows_indices(value);
    } else {
      refuse("options are --size, --epochs, --seed, --remainder and --show, not " + option);
    }
  }
  return settings;
}

/// MPI where mpirun started this process, and nothing elsewhere.
class Session {
 public:
  explicit Session(const stoker::Ranks& ranks);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Null where there is no MPI: the ranks then trust that they are started alike.
  const std::shared_ptr<stoker::Communicator>& communicator() const { return communicator_; }
  /// Ends all ranks, for an error that only this one has: the others would wait for it for ever.
  [[noreturn]] void end_all() const;

 private:
  std::shared_ptr<stoker::Communicator> communicator_;
};

#ifdef WITH_MPI
Session::Session(const stoker::Ranks& ranks) {
  if (ranks.origin != "Open MPI") return;
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level);
  communicator_ = std::make_shared<stoker::MpiCommunicator>(MPI_COMM_WORLD);
}

Session::~Session() {
  if (!communicator_) return;
  communicator_.reset();
  MPI_Finalize();
}

void Session::end_all() const {
  if (communicator_) MPI_Abort(MPI_COMM_WORLD, 1);
  std::exit(1);
}
#else
Session::Session(const stoker::Ranks&) {}
Session::~Session() = default;
void Session::end_all() const { std::exit(1); }
#endif

/// What a rank got of an epoch.
struct Share {
  std::uint64_t samples = 0;
  double sum = 0;  // of all points: stands for the work that a model would do
  std::string indices;
};

Share walk(stoker::Loader& loader, std::uint64_t epoch, bool last) {
  Share share;
  for (const stoker::Batch& batch : loader.epoch(epoch, last)) {
    const stoker::TensorView waves = batch["wave"];
    for (std::int64_t i = 0; i < waves.shape.elements(); ++i) share.sum += waves.as<float>()[i];
    for (const std::uint64_t index : batch.indices()) share.indices += " " + std::to_string(index);
    share.samples += batch.size();
  }
  return share;
}

/// One line, written at once, so that the ranks' lines do not mix.
void print(const std::string& line) { std::cout << line + "\n" << std::flush; }

/// All ranks wait here for each other.
void print_total(stoker::Communicator& communicator, std::uint64_t epoch, const Share& share) {
  std::uint64_t total = 0;
  for (const std::string& samples : communicator.all_gather(std::to_string(share.samples)))
    total += std::stoull(samples);
  if (communicator.rank() == 0)
    print("epoch " + std::to_string(epoch) + ": all ranks got " + std::to_string(total) +
          " samples");
}

void run(stoker::Loader& loader, const Settings& settings) {
  const stoker::LoaderOptions& options = loader.options();
  for (std::uint64_t epoch = 0; epoch < settings.epochs; ++epoch) {
    const Share share = walk(loader, epoch, epoch + 1 == settings.epochs);
    print("epoch " + std::to_string(epoch) + ", rank " + std::to_string(options.rank) + " of " +
          std::to_string(options.world_size) + ": " + std::to_string(share.samples) +
          " samples, sum " + std::to_string(share.sum) +
          (settings.show_indices ? ", indices" + share.indices : ""));
    if (options.communicator) print_total(*options.communicator, epoch, share);
  }
}

int fail(const std::exception& error) {
  std::cerr << std::string(error.what()) + "\n" << std::flush;
  return 1;
}

/// Reads what this rank was told, and checks that the others were told to run as many epochs. A
/// rank that cannot tells them, so that none waits for it.
Settings agreed_settings(int argc, char** argv, stoker::Communicator* communicator) {
  if (communicator == nullptr) return read_settings(argc, argv);
  const Settings settings =
      stoker::prepare_or_report(*communicator, [&] { return read_settings(argc, argv); });
  stoker::agree(*communicator, {{{"epochs", std::to_string(settings.epochs)}}, {}});
  return settings;
}

int run_rank(int argc, char** argv, const stoker::Ranks& ranks, const Session& session) {
  std::optional<Settings> settings;
  std::optional<stoker::Loader> loader;
  try {
    settings = agreed_settings(argc, argv, session.communicator().get());
    loader.emplace(std::make_shared<Waves>(settings->size),
                   stoker::LoaderOptions{.batch_size = 16,
                                         .shuffle = true,
                                         .seed = settings->seed,
                                         .num_workers = 1,
                                         .rank = ranks.rank,
                                         .world_size = ranks.world_size,
                                         .remainder = settings->remainder,
                                         .communicator = session.communicator()});
  } catch (const std::exception& error) {
    // All ranks are here: whoever failed alone told them. So MPI can end in an orderly way.
    return fail(error);
  }
  try {
    run(*loader, *settings);
  } catch (const std::exception& error) {
    fail(error);
    session.end_all();
  }
  return 0;
}

bool asks_for_help(int argc, char** argv) {
  return std::any_of(argv + 1, argv + argc,
                     [](std::string_view word) { return word == "--help" || word == "-h"; });
}

int print_usage() {
  print(
      "usage: distributed_epochs [--name value]...\n"
      "  --size N        samples (1003)\n"
      "  --epochs N      how often they are walked over (2)\n"
      "  --seed N        of the order (42)\n"
      "  --remainder R   what ranks do with what does not divide: pad, drop or uneven (pad)\n"
      "  --show S        of each rank's samples: indices or nothing (nothing)");
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  if (asks_for_help(argc, argv)) return print_usage();
  const stoker::Ranks ranks = stoker::find_ranks();
  const Session session(ranks);
  return run_rank(argc, argv, ranks, session);
} catch (const std::exception& error) {
  return fail(error);
}
