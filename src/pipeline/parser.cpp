// The pipeline language:
//   pipeline  = operation { "|" operation }
//   operation = word [ "(" [ argument { "," argument } ] ")" ]
//   argument  = [ word "=" ] value
//   value     = number | word | "[" [ value { "," value } ] "]"
#include <stoker/core/arguments.hpp>
#include <stoker/core/edit_distance.hpp>
#include <stoker/core/error.hpp>
#include <stoker/decoders/decode.hpp>
#include <stoker/pipeline/pipeline.hpp>
#include <stoker/transforms/registry.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

namespace stoker {
namespace {

constexpr int max_nesting = 8;

bool word_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool word_part(char c) { return word_start(c) || std::isdigit(static_cast<unsigned char>(c)) != 0; }

class Parser {
 public:
  Parser(std::string_view text, const std::map<std::string, UserFunction>& user)
      : text_(text), user_(user) {}

  Pipeline pipeline() {
    std::vector<Step> steps{operation()};
    while (accept('|')) steps.push_back(operation());
    return Pipeline(std::move(steps));
  }

 private:
  std::size_t column() const { return at_ + 1; }

  /// Throws with the text and a mark under the column.
  [[noreturn]] void error(const std::string& message, std::size_t column) const {
    throw Error(ErrorCode::invalid_pipeline,
                fmt::format("{} (column {})\n  {}\n  {:>{}}", message, column, text_, '^', column));
  }
  [[noreturn]] void error(const std::string& message) const { error(message, column()); }

  void skip_blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }

  char peek() {
    skip_blanks();
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  bool accept(char wanted) {
    if (peek() != wanted || at_ == text_.size()) return false;
    ++at_;
    return true;
  }

  void expect(char wanted, std::string_view where) {
    if (accept(wanted)) return;
    error(at_ == text_.size()
              ? fmt::format("expected '{}' {}, found the end", wanted, where)
              : fmt::format("expected '{}' {}, found '{}'", wanted, where, text_[at_]));
  }

  std::string word() {
    const std::size_t start = at_;
    while (at_ < text_.size() && word_part(text_[at_])) ++at_;
    return std::string(text_.substr(start, at_ - start));
  }

  Step operation() {
    const char first = peek();
    const std::size_t start = column();
    if (!word_start(first)) {
      error(first == '\0' ? "expected an operation, found the end"
                          : fmt::format("expected an operation, found '{}'", first));
    }
    const std::string name = word();
    std::vector<Value> positional;
    std::vector<std::pair<std::string, Value>> named;
    if (accept('(')) arguments(positional, named);
    check_end_of_operation();
    return make(name, start, std::move(positional), std::move(named));
  }

  /// Mistakes of form come before those of meaning: "resize 256" lacks brackets, not a size.
  void check_end_of_operation() {
    const char next = peek();
    if (at_ < text_.size() && next != '|') {
      error(fmt::format("expected '|' or the end, found '{}'", next));
    }
  }

  void arguments(std::vector<Value>& positional,
                 std::vector<std::pair<std::string, Value>>& named) {
    if (accept(')')) return;
    do {
      argument(positional, named);
    } while (accept(','));
    expect(')', "or ',' behind an argument");
  }

  void argument(std::vector<Value>& positional, std::vector<std::pair<std::string, Value>>& named) {
    Value given = value(0);
    const auto* key = std::get_if<std::string>(&given.data);
    if (key && accept('=')) {
      named.emplace_back(*key, value(0));
      return;
    }
    if (!named.empty()) error("an argument by place stands behind one by name", given.column);
    positional.push_back(std::move(given));
  }

  Value value(int depth) {
    const char first = peek();
    const std::size_t start = column();
    if (first == '[') return {list(depth), start};
    if (word_start(first)) return {word(), start};
    return {number(), start};
  }

  std::vector<Value> list(int depth) {
    if (depth == max_nesting) error(fmt::format("lists are nested deeper than {}", max_nesting));
    ++at_;
    std::vector<Value> values;
    if (accept(']')) return values;
    do {
      values.push_back(value(depth + 1));
    } while (accept(','));
    expect(']', "or ',' in a list");
    return values;
  }

  double number() {
    const std::size_t start = at_;
    if (at_ < text_.size() && text_[at_] == '+') ++at_;
    double number = 0;
    const auto [end, code] =
        std::from_chars(text_.data() + at_, text_.data() + text_.size(), number);
    if (code == std::errc::result_out_of_range || !std::isfinite(number)) {
      error("the number is out of range", start + 1);
    }
    if (code != std::errc{}) {
      error(start == text_.size() ? "expected a value, found the end"
                                  : fmt::format("expected a value, found '{}'", text_[start]),
            start + 1);
    }
    at_ = static_cast<std::size_t>(end - text_.data());
    return number;
  }

  Step make(const std::string& name, std::size_t start, std::vector<Value> positional,
            std::vector<std::pair<std::string, Value>> named) {
    Arguments arguments(name, start, std::move(positional), std::move(named));
    Step step;
    if (const auto found = user_.find(name); found != user_.end()) {
      step = transform(name, found->second);
    } else {
      step = make_known(name, start, arguments);
    }
    arguments.finish();
    return step;
  }

  Step make_known(const std::string& name, std::size_t start, Arguments& arguments) {
    if (name == "decode") return make_decode(arguments);
    const auto known = transform_operations();
    const auto found = std::ranges::find(known, name, &OperationEntry::name);
    if (found == known.end()) unknown(name, start);
    return found->make(arguments);
  }

  [[noreturn]] void unknown(const std::string& name, std::size_t start) const {
    std::string_view nearest = "decode";
    for (const OperationEntry& entry : transform_operations()) {
      if (edit_distance(name, entry.name) < edit_distance(name, nearest)) nearest = entry.name;
    }
    for (const auto& [own, function] : user_) {
      if (edit_distance(name, own) < edit_distance(name, nearest)) nearest = own;
    }
    const bool near = edit_distance(name, nearest) <= std::max<std::size_t>(2, name.size() / 3);
    error(near ? fmt::format("no operation is called {}; did you mean {}?", name, nearest)
               : fmt::format("no operation is called {}", name),
          start);
  }

  std::string_view text_;
  const std::map<std::string, UserFunction>& user_;
  std::size_t at_ = 0;
};

}  // namespace

Pipeline Pipeline::parse(std::string_view text, const std::map<std::string, UserFunction>& user) {
  return Parser(text, user).pipeline();
}

}  // namespace stoker
