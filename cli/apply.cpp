#include "cli/commands.hpp"
#include "cli/files.hpp"
#include "cli/numbers.hpp"
#include "cli/planes.hpp"
#include "cli/png.hpp"
#include <stoker/core/error.hpp>
#include <stoker/core/random.hpp>
#include <stoker/decoders/decode.hpp>
#include <stoker/pipeline/pipeline.hpp>
#include <stoker/pipeline/plan.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace stoker::cli {
namespace {

struct ApplyOptions {
  std::string pipeline;
  std::string input;
  std::string output;
  RandomKey key;
  bool explain = false;
  bool unfused = false;
};

/// The pipeline as written, behind a `decode` where it does not start with one.
Pipeline with_decode(const std::string& text) {
  Pipeline pipeline = Pipeline::parse(text);
  const auto& steps = pipeline.steps();
  const bool decodes =
      !steps.empty() && dynamic_cast<const Decode*>(steps.front().get()) != nullptr;
  return decodes ? pipeline : decode() | pipeline;
}

PlanOutput carry_out(const Plan& plan, const ApplyOptions& options) {
  const auto encoded = read_file(options.input);
  Workspace workspace;
  auto output = plan.apply(encoded, options.key, workspace);
  if (!output) {
    throw Error(output.error().code, fmt::format("{}: {}", options.input, output.error().message));
  }
  return std::move(*output);
}

static_assert(std::endian::native == std::endian::little, "float files are little-endian");

void write(const PlanOutput& output, const std::string& path) {
  if (output.dtype == DType::uint8) {
    write_file(path, encode_png(output.size, interleaved(output)));
  } else {
    const std::vector<float> planes = float_planes(output);
    write_file(path, std::as_bytes(std::span(planes)));
  }
}

/// A name that says another form than the result has would mislead whoever opens the file.
void check_output_name(DType dtype, const std::filesystem::path& path) {
  const std::string extension = path.extension().string();
  const bool image = dtype == DType::uint8;
  const bool misleads = image ? extension == ".jpg" || extension == ".jpeg" || extension == ".f32"
                              : extension == ".png" || extension == ".jpg" || extension == ".jpeg";
  if (!misleads) return;
  throw Error(
      ErrorCode::invalid_argument,
      fmt::format("{}: the result is {}, name it {}", path.string(),
                  image ? "written as PNG" : "written as raw float32", image ? ".png" : ".f32"));
}

void run_apply(const ApplyOptions& options) {
  const Plan plan(with_decode(options.pipeline), {.fuse = !options.unfused});
  check_output_name(plan.finish().dtype(), options.output);
  if (options.explain) fmt::print("{}\n", plan.explain());
  write(carry_out(plan, options), options.output);
}

}  // namespace

void add_apply(CLI::App& app) {
  auto options = std::make_shared<ApplyOptions>();
  CLI::App* apply = app.add_subcommand("apply", "Run a pipeline on one image");
  apply->add_option("PIPELINE", options->pipeline, "Steps: 'op | op(arguments) | op'")->required();
  apply->add_option("IN", options->input, "An image; decoded first unless the pipeline does")
      ->required();
  apply
      ->add_option("OUT", options->output,
                   "A PNG, or little-endian float32 in CHW order for float results")
      ->required();
  apply->add_option("--seed", options->key.seed, "Seed of random steps")
      ->check(whole_number())
      ->capture_default_str();
  apply->add_option("--epoch", options->key.epoch, "Epoch of random steps")
      ->check(whole_number())
      ->capture_default_str();
  apply->add_option("--position", options->key.position, "Position of the sample in the epoch")
      ->check(whole_number())
      ->capture_default_str();
  apply->add_flag("--explain", options->explain, "Print how the pipeline is carried out");
  apply->add_flag("--unfused", options->unfused,
                  "Carry out each step on the whole image (the result is the same)");
  apply->footer(
      "Examples:\n"
      "  stoker apply 'resize(256) | center_crop(224)' photo.jpg small.png\n"
      "  stoker apply 'random_resized_crop(224) | normalize(imagenet)' photo.jpg photo.f32 --seed "
      "7");
  apply->callback([options] { run_apply(*options); });
}

}  // namespace stoker::cli
