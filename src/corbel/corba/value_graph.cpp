// SPDX-License-Identifier: Apache-2.0
#include "corbel/corba/value_graph.hpp"

#include <algorithm>

namespace corbel::corba {
namespace {

/// Notes which values another one writes.
struct Trace {
  cdr::Encoder encoder;
  std::vector<const CORBA::ValueBase*> found;
};
thread_local Trace* current_trace = nullptr;

/// What the value refers to now, in any order.
std::vector<const CORBA::ValueBase*> references_of(const CORBA::ValueBase& value) {
  Trace trace;
  Trace* const outer = std::exchange(current_trace, &trace);
  struct Restore {
    Trace* outer;
    ~Restore() { current_trace = outer; }
  } restore{outer};
  value._encode_state(trace.encoder);
  return std::move(trace.found);
}

/// The application's code for a value may fail: then other values in its circle are emptied.
void empty(CORBA::ValueBase& value, cdr::Decoder& nothing) noexcept try { value._decode_state(nothing); } catch (...) {
}

}  // namespace

bool is_traced(cdr::Encoder& encoder, const CORBA::ValueBase* value) {
  if (current_trace == nullptr || &current_trace->encoder != &encoder) [[likely]]
    return false;
  if (value != nullptr) current_trace->found.push_back(value);
  return true;
}

ValueGraph& ValueGraph::of(cdr::ValueReader& reader) {
  auto& companion = reader.companion();
  if (companion == nullptr) companion = base::make_shared<ValueGraph>();
  return static_cast<ValueGraph&>(*companion);
}

ValueGraph::~ValueGraph() {
  if (circular_) break_circles();
}

void ValueGraph::refer_to(std::uint32_t index) {
  if (current_ == kNone) return;
  ++made_[index].referred;
  edges_.push_back({current_, index});
}

ValueGraph::ValuePtr ValueGraph::find(std::size_t position) {
  const std::uint32_t* const known = by_position_.find(position);
  if (known == nullptr) return {};
  // Every circle is closed by a reference to a value whose state is still being read.
  circular_ |= made_[*known].open;
  refer_to(*known);
  return made_[*known].value;
}

ValueGraph::State::State(ValueGraph& graph, std::size_t position, ValuePtr value)
    : graph_(graph), index_(static_cast<std::uint32_t>(graph.made_.size())), outer_(graph.current_) {
  graph.made_.push_back({std::move(value)});
  graph.by_position_.insert_or_assign(position, index_);
  graph.current_ = index_;
}

void ValueGraph::State::succeed() {
  graph_.made_[index_].open = false;
  graph_.current_ = outer_;
  graph_.refer_to(index_);
  succeeded_ = true;
}

ValueGraph::State::~State() {
  graph_.made_[index_].open = false;
  graph_.current_ = outer_;
  graph_.failed_ |= !succeeded_;
}

/// Marks what something outside refers to, or where references of the message are missing, and all that it leads to.
void ValueGraph::mark_kept() {
  std::vector<std::uint32_t> waiting;
  const auto keep = [&](std::uint32_t index) {
    if (!std::exchange(made_[index].kept, true)) waiting.push_back(index);
  };
  for (std::uint32_t i = 0; i < made_.size(); ++i) {
    const Made& made = made_[i];
    const std::uint32_t expected = made.referred + 1;  // and made_ itself
    const std::uint32_t count = made.value.use_count();
    // Some references of a message that could not be read were never stored. In a message that could be read, only the
    // code of a value that marshals itself knows what that refers to.
    const bool uncertain = count < expected || made.value->_value_type().custom;
    if (count > expected || (uncertain && !failed_)) keep(i);
  }
  std::sort(edges_.begin(), edges_.end(), [](const Edge& a, const Edge& b) { return a.from < b.from; });
  while (!waiting.empty()) {
    const std::uint32_t from = waiting.back();
    waiting.pop_back();
    auto edge = std::lower_bound(edges_.begin(), edges_.end(), from,
                                 [](const Edge& at, std::uint32_t wanted) { return at.from < wanted; });
    for (; edge != edges_.end() && edge->from == from; ++edge) keep(edge->to);
  }
}

/// True if all values that nothing outside keeps refer to those that the message said, so that none of the references
/// was taken out.
bool ValueGraph::is_unchanged() const {
  auto edge = edges_.begin();
  for (std::uint32_t i = 0; i < made_.size(); ++i) {
    std::vector<const CORBA::ValueBase*> expected;
    for (; edge != edges_.end() && edge->from == i; ++edge) expected.push_back(made_[edge->to].value.get());
    if (made_[i].kept) continue;
    auto found = references_of(*made_[i].value);
    std::sort(expected.begin(), expected.end());
    std::sort(found.begin(), found.end());
    if (found != expected) return false;
  }
  return true;
}

void ValueGraph::break_circles() noexcept try {
  mark_kept();
  // What could not be read was never given out.
  if (!failed_ && !is_unchanged()) return;
  // Reading from nothing empties a value. None is destroyed before all are: made_ still refers to them.
  cdr::Decoder nothing;
  nothing.fail(base::Code::cancelled);
  for (const Made& made : made_) {
    if (!made.kept) empty(*made.value, nothing);
  }
} catch (...) {
  // The application's code for a value failed: the circles stay.
}

}  // namespace corbel::corba
