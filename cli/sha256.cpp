#include "cli/sha256.hpp"

#include <stoker/core/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openssl/evp.h>

#include <array>
#include <new>

namespace stoker::cli {
namespace {

void require(int succeeded) {
  if (succeeded != 1) throw Error(ErrorCode::unsupported, "libcrypto offers no SHA-256");
}

}  // namespace

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
  if (context_ == nullptr) throw std::bad_alloc();
  require(EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr));
}

void Sha256::Free::operator()(evp_md_ctx_st* context) const noexcept { EVP_MD_CTX_free(context); }

void Sha256::update(std::span<const std::uint8_t> bytes) {
  require(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()));
}

std::string Sha256::finish() {
  std::array<unsigned char, 32> digest{};
  require(EVP_DigestFinal_ex(context_.get(), digest.data(), nullptr));
  return fmt::format("{:02x}", fmt::join(digest, ""));
}

}  // namespace stoker::cli
