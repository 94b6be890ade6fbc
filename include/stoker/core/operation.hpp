#pragma once

#include <memory>
#include <string>

namespace stoker {

/// One step of a pipeline as the user wrote it. Immutable, so shared freely between threads.
class Operation {
 public:
  virtual ~Operation() = default;
  /// The step in the pipeline language, with every parameter: parsing it gives an equal step.
  virtual std::string text() const = 0;
  /// True where the step calls code that may wait for something, as a user's function may: see
  /// Producer::may_block.
  virtual bool may_block() const { return false; }
};

using Step = std::shared_ptr<const Operation>;

}  // namespace stoker
