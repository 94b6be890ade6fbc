#pragma once

#include <stoker/engine/producer.hpp>
#include <stoker/pipeline/plan.hpp>
#include <stoker/sources/source.hpp>

#include <boost/lockfree/stack.hpp>

#include <memory>
#include <string>
#include <vector>

namespace stoker {

/// Makes the fields "image" and "label" from a source's encoded samples and a plan. Lends a
/// workspace to each call, as many as run at the same time. `source` must outlive it.
class ImageProducer final : public Producer {
 public:
  /// @throws Error(invalid_pipeline) where the plan's output has no fixed size.
  ImageProducer(const Source& source, const Pipeline& pipeline);
  ~ImageProducer() override;

  std::uint64_t size() const override { return source_.size(); }
  const std::vector<FieldSpec>& fields() const override { return fields_; }
  std::string name(std::uint64_t index) const override { return source_.name(index); }
  std::string fingerprint() const override { return source_.fingerprint(); }
  std::string pipeline() const override { return plan_.pipeline().text(); }
  bool in_memory() const override { return source_.in_memory(); }
  Status read(std::uint64_t index, EncodedSample& sample) const override {
    return source_.read(index, sample);
  }
  Status produce(std::uint64_t index, const EncodedSample& sample,
                 std::span<std::byte* const> place, const RandomKey& key,
                 ProduceCounters& counters) const override;

 private:
  std::unique_ptr<Workspace> borrow() const;
  void give_back(std::unique_ptr<Workspace> workspace) const;

  const Source& source_;
  Plan plan_;
  std::vector<FieldSpec> fields_;
  /// The workspace used last comes first: its memory is still in a cache.
  mutable boost::lockfree::stack<Workspace*, boost::lockfree::fixed_sized<true>> idle_;
};

}  // namespace stoker
