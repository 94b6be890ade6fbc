#pragma once

#include <stoker/engine/producer.hpp>
#include <stoker/pipeline/plan.hpp>
#include <stoker/sources/source.hpp>

#include <boost/lockfree/stack.hpp>

#include <memory>
#include <string>
#include <vector>

namespace stoker {

/// Where an image pipeline's steps are to be done.
struct ImagePlacement {
  FinishOn finish = FinishOn::automatic;
  ResizeOn resize = ResizeOn::cpu;
  std::size_t crop_bytes = 0;  ///< a slot's room for decoded pixels, a sample; 0: automatic
  bool has_device = false;     ///< batches go to a device, where something can be done
};

/// Makes the fields "image" and "label" from a source's encoded samples and a plan. Lends a
/// workspace to each call, as many as run at the same time. `source` must outlive it.
///
/// Where the finish is done on a device, the host's fields are 8-bit pixels [H, W, 3], the flip and
/// the label, and the device makes the image of the first two. Where the resize is done there too,
/// the host's fields are decoded crops, what is to become of them, and the label.
class ImageProducer final : public Producer {
 public:
  /// @throws Error(invalid_pipeline) where the plan's output has no fixed size,
  /// Error(invalid_argument) for a placement that needs a device without one.
  ImageProducer(const Source& source, const Pipeline& pipeline, const ImagePlacement& placement);
  ~ImageProducer() override;

  std::uint64_t size() const override { return source_.size(); }
  const std::vector<FieldSpec>& fields() const override { return fields_; }
  std::string name(std::uint64_t index) const override { return source_.name(index); }
  std::string fingerprint() const override { return source_.fingerprint(); }
  std::string pipeline() const override { return plan_.pipeline().text(); }
  bool in_memory() const override { return source_.in_memory(); }
  bool may_block() const override;
  std::shared_ptr<const DeviceStage> device_stage() const override { return stage_; }
  Status read(std::uint64_t index, EncodedSample& sample) const override {
    return source_.read(index, sample);
  }
  Status produce(std::uint64_t index, const EncodedSample& sample, const SamplePlace& place,
                 const RandomKey& key, ProduceCounters& counters) const override;

 private:
  enum class Work : std::uint8_t { all, all_but_finish, decode };

  Status make_image(const EncodedSample& sample, const SamplePlace& place, const RandomKey& key,
                    Workspace& workspace, ProduceCounters& counters) const;
  Status make_unfinished(const EncodedSample& sample, const SamplePlace& place,
                         const RandomKey& key, Workspace& workspace) const;
  Status make_unresized(const EncodedSample& sample, const SamplePlace& place, const RandomKey& key,
                        Workspace& workspace, ProduceCounters& counters) const;
  std::unique_ptr<Workspace> borrow() const;
  void give_back(std::unique_ptr<Workspace> workspace) const;

  const Source& source_;
  Plan plan_;
  Work work_ = Work::all;                     ///< what is done here
  std::shared_ptr<const DeviceStage> stage_;  ///< does the rest; null where there is none
  std::vector<FieldSpec> fields_;
  std::size_t label_field_;
  /// The workspace used last comes first: its memory is still in a cache.
  mutable boost::lockfree::stack<Workspace*, boost::lockfree::fixed_sized<true>> idle_;
};

}  // namespace stoker
