#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

struct evp_md_ctx_st;  // libcrypto's EVP_MD_CTX

namespace stoker::cli {

/// Computes a SHA-256 digest piece by piece. Used by one thread at a time.
class Sha256 {
 public:
  Sha256();

  void update(std::span<const std::uint8_t> bytes);
  /// Returns the digest as 64 hexadecimal digits. Nothing may be added afterwards.
  std::string finish();

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const noexcept;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

}  // namespace stoker::cli
