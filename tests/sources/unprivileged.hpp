#pragma once

#include <stdlib.h>
#include <unistd.h>

namespace stoker {

/// Lets the test program act as a user without privileges while it lives, so that permissions count
/// where tests run as root. Only in a test without other threads.
class Unprivileged {
 public:
  Unprivileged() : before_(::geteuid()) {
    constexpr uid_t nobody = 65534;
    if (before_ == 0) changed_ = ::seteuid(nobody) == 0;
  }
  ~Unprivileged() {
    if (changed_ && ::seteuid(before_) != 0) ::abort();
  }
  Unprivileged(const Unprivileged&) = delete;
  Unprivileged& operator=(const Unprivileged&) = delete;

  /// False where root may not become anyone else, as in some containers.
  bool works() const noexcept { return ::geteuid() != 0; }

 private:
  uid_t before_;
  bool changed_ = false;
};

}  // namespace stoker
