#include <stoker/pipeline/plan.hpp>

#include "src/pipeline/lazy_image.hpp"
#include <stoker/core/arguments.hpp>
#include <stoker/decoders/decode.hpp>
#include <stoker/transforms/normalize.hpp>
#include <stoker/transforms/to.hpp>
#include <stoker/transforms/transform.hpp>

#include <fmt/format.h>

namespace stoker {

struct Workspace::State {
  ImageWorkspace image;
};

Workspace::Workspace() : state_(std::make_unique<State>()) {}
Workspace::~Workspace() = default;
Workspace::Workspace(Workspace&&) noexcept = default;
Workspace& Workspace::operator=(Workspace&&) noexcept = default;

std::size_t Workspace::capacity() const noexcept {
  const ImageWorkspace& image = state_->image;
  return image.decoder.capacity() + image.resampler.capacity() + image.images[0].capacity() +
         image.images[1].capacity();
}

std::uint64_t Workspace::decode_nanoseconds() const noexcept {
  return state_->image.decode_nanoseconds;
}

std::uint64_t Workspace::pixels_decoded() const noexcept {
  return state_->image.decoder.pixels_decoded();
}

namespace {

[[noreturn]] void reject(const std::string& message) {
  throw Error(ErrorCode::invalid_pipeline, message);
}

bool is_value_step(const Step& step) {
  return dynamic_cast<const Normalize*>(step.get()) || dynamic_cast<const To*>(step.get());
}

std::vector<Step> value_steps(const Pipeline& pipeline) {
  std::vector<Step> steps;
  for (const Step& step : pipeline.steps()) {
    if (is_value_step(step)) steps.push_back(step);
  }
  return steps;
}

std::shared_ptr<const Decode> leading_decode(const Pipeline& pipeline) {
  const auto& steps = pipeline.steps();
  auto decode = steps.empty() ? nullptr : std::dynamic_pointer_cast<const Decode>(steps.front());
  if (!decode) reject("a pipeline must begin with decode");
  return decode;
}

/// A transform behind `normalize` or `to` would need float pixels, unless it only moves them.
void check_order(const Transform& transform, const Step& value_step) {
  if (transform.only_moves_pixels()) return;
  reject(fmt::format("{} must stand before {}: behind it only flips and crops are possible",
                     transform.text(), value_step->text()));
}

}  // namespace

Plan::Plan(Pipeline pipeline, PlanOptions options)
    : pipeline_(std::move(pipeline)),
      options_(options),
      decode_(leading_decode(pipeline_)),
      finish_(value_steps(pipeline_)) {
  Step value_step;
  for (std::size_t i = 1; i < pipeline_.steps().size(); ++i) {
    const Step& step = pipeline_.steps()[i];
    if (is_value_step(step)) {
      value_step = step;
    } else if (auto transform = std::dynamic_pointer_cast<const Transform>(step)) {
      if (value_step) check_order(*transform, value_step);
      output_size_ = transform->output_size(output_size_);
      transforms_.emplace_back(static_cast<std::uint32_t>(i), std::move(transform));
    } else {
      reject(fmt::format("{} may stand only at the beginning", step->text()));
    }
  }
}

Shape Plan::output_shape() const {
  if (!output_size_) {
    reject(
        fmt::format("the images that \"{}\" gives differ in size, a batch needs one size: end "
                    "with center_crop, random_crop, random_resized_crop or resize([height, width])",
                    pipeline_.text()));
  }
  return finish_.shape(*output_size_);
}

Status Plan::transform(LazyImage& image, const RandomKey& key) const {
  for (const auto& [step, transform] : transforms_) {
    Random random(key, step);
    STOKER_RETURN_IF_FAILED(transform->apply(image, random));
  }
  return {};
}

/// Does all steps but the finish, to an image of the size that was laid out.
Status Plan::open(LazyImage& image, std::span<const std::byte> encoded,
                  const RandomKey& key) const {
  STOKER_RETURN_IF_FAILED(image.open(encoded, decode_->options()));
  STOKER_RETURN_IF_FAILED(transform(image, key));
  if (image.size() == output_size_) return {};
  return fail(ErrorCode::shape_mismatch,
              fmt::format("the pipeline gave an image of {} pixels where {} was laid out "
                          "[height, width]",
                          size_text(image.size()), size_text(output_size_.value_or(Size{}))));
}

Status Plan::run(std::span<const std::byte> encoded, const RandomKey& key, Workspace& workspace,
                 std::byte* out) const {
  LazyImage image(workspace.state_->image, options_.fuse);
  STOKER_RETURN_IF_FAILED(open(image, encoded, key));
  return image.write(finish_, out);
}

Status Plan::run_unfinished(std::span<const std::byte> encoded, const RandomKey& key,
                            Workspace& workspace, std::byte* out, bool& flip) const {
  LazyImage image(workspace.state_->image, options_.fuse);
  STOKER_RETURN_IF_FAILED(open(image, encoded, key));
  return image.write_unflipped(out, flip);
}

Status Plan::run_unresized(std::span<const std::byte> encoded, const RandomKey& key,
                           Workspace& workspace, CropMemory& memory,
                           UnresizedImage& unresized) const {
  LazyImage image(workspace.state_->image, options_.fuse);
  STOKER_RETURN_IF_FAILED(open(image, encoded, key));
  return image.write_unresized(memory, unresized);
}

Result<PlanOutput> Plan::apply(std::span<const std::byte> encoded, const RandomKey& key,
                               Workspace& workspace) const {
  LazyImage image(workspace.state_->image, options_.fuse);
  STOKER_RETURN_IF_FAILED(image.open(encoded, decode_->options()));
  STOKER_RETURN_IF_FAILED(transform(image, key));
  PlanOutput output{finish_.dtype(), finish_.layout(), image.size(), {}};
  output.data.resize(finish_.bytes(image.size()));
  STOKER_RETURN_IF_FAILED(image.write(finish_, output.data.data()));
  return output;
}

std::string Plan::explain(FinishOn finish, ResizeOn resize) const {
  std::string text = fmt::format("{:<52} {}\n", decode_->text(),
                                 options_.fuse ? "decodes the rows and columns that the steps "
                                                 "behind it read, and no more"
                                               : "decodes the whole image");
  for (const auto& [step, transform] : transforms_) {
    const char* how = !options_.fuse                   ? "done on the whole image"
                      : transform->only_moves_pixels() ? "deferred: narrows what is decoded, or is "
                                                         "done while writing"
                                                       : "done on the part that is kept";
    text += fmt::format("{:<52} {}\n", transform->text(), how);
  }
  const char* where = resize == ResizeOn::device
                          ? "on the device: decoded crops cross the bus, then one kernel resizes "
                            "and makes"
                      : finish == FinishOn::device
                          ? "on the device: 8-bit pixels cross the bus, then one kernel makes"
                          : "on the CPU: writes";
  return text + fmt::format("{:<52} {} {} {} in the batch\n", "finish: " + finish_.text(), where,
                            name(finish_.dtype()), name(finish_.layout()));
}

}  // namespace stoker
