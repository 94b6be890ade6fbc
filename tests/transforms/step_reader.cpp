#include "tests/transforms/step_reader.hpp"

#include <stoker/transforms/registry.hpp>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <stdexcept>

namespace stoker::testing {
namespace {

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool accept(char c) {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  std::string word() {
    accept('\0');
    const std::size_t start = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 ||
            std::string_view("_.+-").find(text_[at_]) != std::string_view::npos)) {
      ++at_;
    }
    if (start == at_) throw std::invalid_argument("no word in: " + std::string(text_));
    return std::string(text_.substr(start, at_ - start));
  }

  Value value() {
    const std::size_t column = at_ + 1;
    if (!accept('[')) return {number_or_word(word()), column};
    std::vector<Value> items;
    while (!accept(']')) {
      items.push_back(value());
      accept(',');
    }
    return {std::move(items), column};
  }

  bool at_end() const { return at_ == text_.size(); }
  std::size_t column() const { return at_ + 1; }

  static std::variant<double, std::string, std::vector<Value>> number_or_word(std::string text) {
    double number = 0;
    const char* const end = text.data() + text.size();
    if (std::from_chars(text.data(), end, number).ptr == end) return number;
    return text;
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

Arguments read_arguments(std::string_view text) {
  Reader reader(text);
  std::string operation = reader.word();
  std::vector<Value> positional;
  std::vector<std::pair<std::string, Value>> named;
  if (reader.accept('(')) {
    while (!reader.accept(')')) {
      Value value = reader.value();
      if (reader.accept('=')) {
        named.emplace_back(std::get<std::string>(value.data), reader.value());
      } else {
        positional.push_back(std::move(value));
      }
      reader.accept(',');
    }
  }
  if (!reader.at_end()) throw std::invalid_argument("text behind the step: " + std::string(text));
  return {std::move(operation), 1, std::move(positional), std::move(named)};
}

Step read_step(std::string_view text) {
  Arguments arguments = read_arguments(text);
  const auto entries = transform_operations();
  const auto entry = std::ranges::find(entries, arguments.operation(), &OperationEntry::name);
  if (entry == entries.end()) throw std::invalid_argument("no operation: " + std::string(text));
  return entry->make(arguments);
}

}  // namespace stoker::testing
