// A profiler that counts ranges: NVTX loads it where NVTX_INJECTION64_PATH names it. At the
// process's end it writes a line for each name in each domain, "stoker/read: 3 begun, 3 ended,
// numbers 7 8 9", and one for each mistake. With STOKER_TRACE_OUTPUT set it writes to that file.
#include <nvtx3/nvToolsExt.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace {

/// A registered string of a domain, and its ranges.
struct Name {
  std::string text;
  std::uint64_t begun = 0, ended = 0;
  std::vector<std::uint64_t> numbers;
};

struct Domain {
  std::string name;
  std::deque<Name> names;
};

class Profiler {
 public:
  ~Profiler() {
    const char* const path = std::getenv("STOKER_TRACE_OUTPUT");
    std::FILE* const out = path == nullptr ? stdout : std::fopen(path, "w");
    for (const Domain& domain : domains_) write(out, domain);
    for (const std::string& mistake : mistakes_) std::fprintf(out, "%s\n", mistake.c_str());
    if (path != nullptr) std::fclose(out);
  }

  Domain* add_domain(const char* name) {
    const std::lock_guard lock(mutex_);
    return &domains_.emplace_back(Domain{name, {}});
  }
  Name* add_name(Domain& domain, const char* text) {
    const std::lock_guard lock(mutex_);
    domain.names.emplace_back().text = text;
    return &domain.names.back();
  }
  int push(Domain* domain, const nvtxEventAttributes_t& attributes) {
    const std::lock_guard lock(mutex_);
    if (attributes.messageType != NVTX_MESSAGE_TYPE_REGISTERED) {
      mistakes_.emplace_back("a range without a registered name");
      return NVTX_NO_PUSH_POP_TRACKING;
    }
    auto* const name = reinterpret_cast<Name*>(attributes.message.registered);
    ++name->begun;
    if (attributes.payloadType == NVTX_PAYLOAD_TYPE_UNSIGNED_INT64) {
      name->numbers.push_back(attributes.payload.ullValue);
    }
    open_[domain].push_back(name);
    return static_cast<int>(open_[domain].size()) - 1;
  }
  int pop(Domain* domain) {
    const std::lock_guard lock(mutex_);
    std::vector<Name*>& open = open_[domain];
    if (open.empty()) {
      mistakes_.emplace_back("a range ended that this thread did not begin");
      return NVTX_NO_PUSH_POP_TRACKING;
    }
    ++open.back()->ended;
    open.pop_back();
    return static_cast<int>(open.size());
  }

 private:
  static void write(std::FILE* out, const Domain& domain) {
    for (const Name& name : domain.names) {
      std::fprintf(out, "%s/%s: %llu begun, %llu ended, numbers", domain.name.c_str(),
                   name.text.c_str(), static_cast<unsigned long long>(name.begun),
                   static_cast<unsigned long long>(name.ended));
      for (const std::uint64_t number : name.numbers) {
        std::fprintf(out, " %llu", static_cast<unsigned long long>(number));
      }
      std::fprintf(out, "\n");
    }
  }

  static thread_local std::map<Domain*, std::vector<Name*>> open_;

  std::mutex mutex_;
  std::deque<Domain> domains_;
  std::vector<std::string> mistakes_;
};

thread_local std::map<Domain*, std::vector<Name*>> Profiler::open_;

Profiler& profiler() {
  static Profiler the_profiler;
  return the_profiler;
}

nvtxDomainHandle_t NVTX_API create_domain(const char* name) {
  return reinterpret_cast<nvtxDomainHandle_t>(profiler().add_domain(name));
}

nvtxStringHandle_t NVTX_API register_string(nvtxDomainHandle_t domain, const char* text) {
  return reinterpret_cast<nvtxStringHandle_t>(
      profiler().add_name(*reinterpret_cast<Domain*>(domain), text));
}

int NVTX_API push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) {
  return profiler().push(reinterpret_cast<Domain*>(domain), *attributes);
}

int NVTX_API pop(nvtxDomainHandle_t domain) {
  return profiler().pop(reinterpret_cast<Domain*>(domain));
}

template <class Function>
void set(NvtxFunctionTable table, NvtxCallbackIdCore2 id, Function* function) {
  *table[id] = reinterpret_cast<NvtxFunctionPointer>(function);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(
    NvtxGetExportTableFunc_t export_table) {
  const auto* const callbacks =
      static_cast<const NvtxExportTableCallbacks*>(export_table(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable table = nullptr;
  unsigned size = 0;
  if (callbacks == nullptr ||
      callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size) == 0 ||
      size <= NVTX_CBID_CORE2_DomainCreateA) {
    return 0;
  }
  set(table, NVTX_CBID_CORE2_DomainCreateA, &create_domain);
  set(table, NVTX_CBID_CORE2_DomainRegisterStringA, &register_string);
  set(table, NVTX_CBID_CORE2_DomainRangePushEx, &push);
  set(table, NVTX_CBID_CORE2_DomainRangePop, &pop);
  return 1;
}
