#include <stoker/core/error.hpp>
#include <stoker/torch/samplers.hpp>

#include <ATen/core/ivalue.h>

#include <algorithm>

namespace stoker::torch {
namespace {

constexpr const char* sampler_key = "stoker_sampler";
constexpr const char* epoch_key = "stoker_epoch";
constexpr const char* place_key = "stoker_place";
constexpr const char* begun_key = "stoker_begun";

[[noreturn]] void refuse_state(const std::string& why) { throw Error(ErrorCode::bad_state, why); }

c10::IValue read(::torch::serialize::InputArchive& archive, const char* key,
                 bool (c10::IValue::*is_right)() const) {
  c10::IValue value;
  if (!archive.try_read(key, value) || !(value.*is_right)()) {
    refuse_state("the archive holds no sampler of stoker's");
  }
  return value;
}

}  // namespace

TorchSampler::TorchSampler(std::shared_ptr<const stoker::Sampler> sampler, std::uint64_t seed)
    : sampler_(std::move(sampler)), seed_(seed) {
  if (!sampler_) throw Error(ErrorCode::invalid_argument, "there is no sampler to go by");
}

void TorchSampler::reset(OptionalSize new_size) {
  if (new_size && *new_size != sampler_->size()) {
    throw Error(ErrorCode::unsupported,
                "sampler " + sampler_->text() + " has its own size; make another one");
  }
  enter(begun_ ? epoch_ + 1 : epoch_, 0);
}

void TorchSampler::enter(std::uint64_t epoch, std::uint64_t place) {
  order_ = sampler_->order(seed_, epoch);
  epoch_ = epoch;
  place_ = place;
  begun_ = true;
}

TorchSampler::OptionalIndices TorchSampler::next(std::size_t batch_size) {
  if (!order_) enter(epoch_, place_);
  const std::uint64_t left = order_->size() - std::min(place_, order_->size());
  if (left == 0) return {};
  std::vector<std::uint64_t> indices(std::min<std::uint64_t>(batch_size, left));
  order_->read(place_, indices);
  place_ += indices.size();
  return Indices(indices.begin(), indices.end());
}

void TorchSampler::save(::torch::serialize::OutputArchive& archive) const {
  archive.write(sampler_key, c10::IValue(sampler_->text()));
  archive.write(epoch_key, c10::IValue(static_cast<std::int64_t>(epoch_)));
  archive.write(place_key, c10::IValue(static_cast<std::int64_t>(place_)));
  archive.write(begun_key, c10::IValue(begun_));
}

void TorchSampler::load(::torch::serialize::InputArchive& archive) {
  const std::string saved = read(archive, sampler_key, &c10::IValue::isString).toStringRef();
  if (saved != sampler_->text()) {
    refuse_state("the archive holds sampler " + saved + ", this one is " + sampler_->text());
  }
  const std::int64_t epoch = read(archive, epoch_key, &c10::IValue::isInt).toInt();
  const std::int64_t place = read(archive, place_key, &c10::IValue::isInt).toInt();
  const bool begun = read(archive, begun_key, &c10::IValue::isBool).toBool();
  if (epoch < 0 || place < 0 || static_cast<std::uint64_t>(place) > sampler_->size()) {
    refuse_state("the sampler's place in the archive is damaged");
  }
  enter(static_cast<std::uint64_t>(epoch), static_cast<std::uint64_t>(place));
  begun_ = begun;
}

}  // namespace stoker::torch
