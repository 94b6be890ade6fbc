#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace stoker::model {

/// A run of a model that breaks a property, step by step.
struct Counterexample {
  std::string broken;  ///< which property
  std::vector<std::string> trace;
};

/// What an exploration found.
struct Exploration {
  std::size_t states = 0;
  std::size_t steps = 0;  ///< edges between them
  std::size_t ends = 0;   ///< states in which a run is over
  std::size_t bytes = 0;  ///< of memory, roughly
  std::optional<Counterexample> counterexample;
};

/// Visits every state that a model can reach, breadth first, so that a counterexample is a shortest
/// one. A model has
///   State                                     of integers, without padding
///   State initial()
///   void for_each_step(state, visit)          visit(step, next, broken): `broken` names the
///                                             property that the step breaks, or is null
///   bool finished(state)                      a run may end here
///   std::string text(step)
/// It is broken where a step says so, where a state that is not finished has no step, and where a
/// run can go on for ever: then there is a cycle.
template <class Model>
class StateSpace {
  using State = typename Model::State;
  using Index = std::uint32_t;
  static_assert(std::has_unique_object_representations_v<State>, "states are compared as bytes");

 public:
  explicit StateSpace(Model& model) : model_(model), table_(std::size_t{1} << 16, none) {}

  Exploration explore() {
    insert(model_.initial(), none);
    for (Index from = 0; from < states_.size() && !found_.counterexample; ++from) expand(from);
    if (!found_.counterexample) check_that_runs_end();
    found_.states = states_.size();
    found_.steps = targets_.size();
    found_.bytes = states_.size() * (sizeof(State) + 2 * sizeof(Index) + sizeof(std::size_t)) +
                   table_.size() * sizeof(Index) + 2 * targets_.size() * sizeof(Index);
    return std::move(found_);
  }

 private:
  static constexpr Index none = 0xFFFFFFFF;

  static std::string_view bytes(const State& state) {
    return {reinterpret_cast<const char*>(&state), sizeof state};
  }

  void expand(Index from) {
    first_target_.push_back(targets_.size());
    const State state = states_[from];
    model_.for_each_step(state, [&](const auto& step, const State& next, const char* broken) {
      if (found_.counterexample) return;
      if (broken != nullptr) {
        const std::string last = model_.text(step);
        report(broken, from);
        found_.counterexample->trace.push_back(last);
      } else {
        targets_.push_back(insert(next, from));
      }
    });
    if (found_.counterexample || targets_.size() != first_target_.back()) return;
    ++found_.ends;
    if (!model_.finished(state)) report("deadlock: nothing can go on, and not all is done", from);
  }

  /// Returns the state's index, whether it is new or not.
  Index insert(const State& state, Index parent) {
    if (2 * states_.size() > table_.size()) grow_table();
    const std::size_t place = place_of(state);
    if (table_[place] != none) return table_[place];
    const auto index = static_cast<Index>(states_.size());
    table_[place] = index;
    states_.push_back(state);
    parents_.push_back(parent);
    return index;
  }

  std::size_t place_of(const State& state) const {
    std::size_t place = std::hash<std::string_view>{}(bytes(state)) & (table_.size() - 1);
    while (table_[place] != none && bytes(states_[table_[place]]) != bytes(state)) {
      place = (place + 1) & (table_.size() - 1);
    }
    return place;
  }

  void grow_table() {
    table_.assign(2 * table_.size(), none);
    for (Index i = 0; i < states_.size(); ++i) table_[place_of(states_[i])] = i;
  }

  /// Takes states away whose steps all lead to states that were taken away: what is left lies on
  /// cycles or before them.
  void check_that_runs_end() {
    first_target_.push_back(targets_.size());
    std::vector<std::size_t> first_source(states_.size() + 1, 0);
    for (const Index target : targets_) ++first_source[target + 1];
    for (std::size_t i = 0; i < states_.size(); ++i) first_source[i + 1] += first_source[i];
    std::vector<Index> sources(targets_.size());
    std::vector<Index> steps_left(states_.size());
    std::vector<std::size_t> filled(first_source.begin(), first_source.end() - 1);
    std::vector<Index> ended;
    for (Index from = 0; from < states_.size(); ++from) {
      steps_left[from] = static_cast<Index>(first_target_[from + 1] - first_target_[from]);
      if (steps_left[from] == 0) ended.push_back(from);
      for (std::size_t t = first_target_[from]; t < first_target_[from + 1]; ++t) {
        sources[filled[targets_[t]]++] = from;
      }
    }
    std::size_t taken = 0;
    for (; !ended.empty(); ++taken) {
      const Index state = ended.back();
      ended.pop_back();
      for (std::size_t s = first_source[state]; s < first_source[state + 1]; ++s) {
        if (--steps_left[sources[s]] == 0) ended.push_back(sources[s]);
      }
    }
    if (taken == states_.size()) return;
    const auto stuck = std::ranges::find_if(steps_left, [](Index left) { return left != 0; });
    report("a run that never ends", static_cast<Index>(stuck - steps_left.begin()));
  }

  /// Writes down how the state was reached: parents are stored, the steps between found again.
  void report(const char* broken, Index last) {
    std::vector<Index> way;
    for (Index at = last; at != none; at = parents_[at]) way.push_back(at);
    std::ranges::reverse(way);
    Counterexample example{broken, {}};
    for (std::size_t i = 0; i + 1 < way.size(); ++i) {
      bool written = false;
      model_.for_each_step(states_[way[i]], [&](const auto& step, const State& next, const char*) {
        if (written || bytes(next) != bytes(states_[way[i + 1]])) return;
        example.trace.push_back(model_.text(step));
        written = true;
      });
    }
    found_.counterexample = std::move(example);
  }

  Model& model_;
  std::deque<State> states_;
  std::vector<Index> parents_;
  std::vector<Index> table_;  ///< open addressing: indices of states, a power of two of places
  std::vector<std::size_t> first_target_;
  std::vector<Index> targets_;  ///< of the steps of state 0, then of state 1, …
  Exploration found_;
};

template <class Model>
Exploration explore(Model& model) {
  return StateSpace<Model>(model).explore();
}

}  // namespace stoker::model
