// SPDX-License-Identifier: Apache-2.0
#include "corbel/corba/pollable.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <mutex>
#include <utility>

#include "corbel/cdr/encoder.hpp"
#include "corbel/corba/define_exception.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/corba/poll_signal.hpp"

namespace CORBA {

namespace minor = corbel::corba::minor;
using corbel::base::Deadline;
using corbel::base::IntrusivePtr;
using corbel::corba::PollableCall;
using State = PollableCall::State;
using std::chrono::milliseconds;

#define CORBEL_DEFINE_EMPTY_EXCEPTION(NAME, SHORT)          \
  CORBEL_DEFINE_EXCEPTION_NAMES(NAME, SHORT)                \
  void NAME::_encode(corbel::cdr::Encoder& encoder) const { \
    encoder.put_plain_string(_id);                          \
  }
CORBEL_DEFINE_EMPTY_EXCEPTION(WrongTransaction, "WrongTransaction")
CORBEL_DEFINE_EMPTY_EXCEPTION(PollableSet::NoPossiblePollable, "NoPossiblePollable")
CORBEL_DEFINE_EMPTY_EXCEPTION(PollableSet::UnknownPollable, "UnknownPollable")
#undef CORBEL_DEFINE_EMPTY_EXCEPTION

namespace {

constexpr std::string_view kPollableIds[] = {Pollable::_value_id};
constinit const corbel::corba::ValueType kPollableType{Pollable::_value_id, kPollableIds};

[[noreturn]] void throw_delivered() {
  throw OBJECT_NOT_EXIST(minor::kReplyDelivered, COMPLETED_NO);
}

}  // namespace

bool Pollable::is_ready(std::uint32_t timeout) {
  const State state = _pollable_call().await(timeout);
  if (state == State::taken) throw_delivered();
  return state == State::ready;
}

object_reference<PollableSet> Pollable::create_pollable_set() try {
  auto set = object_reference<PollableSet>(corbel::base::make_shared<PollableSet>());
  set->add_pollable(object_reference<Pollable>(shared_from(this)));
  return set;
} catch (const std::bad_alloc&) {
  PollableCall::refuse_for_memory();
}

const corbel::corba::ValueType& Pollable::_value_type() const noexcept {
  return kPollableType;
}

/// What the error map makes MARSHAL minor OMG 4 of.
void Pollable::_encode_state(corbel::cdr::Encoder& encoder) const {
  encoder.fail(corbel::base::Code::bad_argument);
}
void Pollable::_decode_state(corbel::cdr::Decoder&) {}

namespace {

/// How long a thread sleeps before it looks whether there is a reply that all others are too busy to read.
constexpr milliseconds kFirstSleep{4};
constexpr milliseconds kLongestSleep{64};
/// Of so many calls it looks at a time, if the ORB has threads that should.
constexpr std::size_t kSome = 8;

}  // namespace

struct PollableSet::Member {
  object_reference<Pollable> pollable;
  IntrusivePtr<PollableCall> call;
};

struct PollableSet::Contents {
  const corbel::base::SharedPtr<corbel::corba::PollSignal> signal =
      corbel::base::make_shared<corbel::corba::PollSignal>();
  corbel::base::Mutex mutex;  // guards what follows
  std::deque<Member> members;
  std::size_t next = 0;  // the member to see to
};

PollableSet::PollableSet() : contents_(corbel::base::make_shared<Contents>()) {}

PollableSet::~PollableSet() {
  for (const auto& member : contents_->members) member.call->leave();
}

bool PollableSet::_static_is_a(std::string_view repository_id) const noexcept {
  return repository_id == _interface_id || LocalObject::_static_is_a(repository_id);
}

object_reference<DIIPollable> PollableSet::create_dii_pollable() {
  throw NO_IMPLEMENT(0, COMPLETED_NO, "add the CORBA::Request itself: it is a DIIPollable");
}

void PollableSet::add_pollable(const object_reference<Pollable>& potential) try {
  if (potential == nullptr) throw BAD_PARAM(0, COMPLETED_NO, "no pollable");
  PollableCall& call = potential->_pollable_call();
  if (call.state() == State::taken) throw_delivered();
  {
    const std::lock_guard lock(contents_->mutex);
    contents_->members.push_back({potential, IntrusivePtr(&call)});
    if (!call.enter(contents_->signal)) {
      contents_->members.pop_back();
      throw BAD_PARAM(minor::kInPollableSet, COMPLETED_NO);
    }
  }
  contents_->signal->notify();
} catch (const std::bad_alloc&) {
  PollableCall::refuse_for_memory();
}

void PollableSet::remove(const object_reference<Pollable>& potential) {
  if (potential == nullptr) throw BAD_PARAM(0, COMPLETED_NO, "no pollable");
  Member removed;  // goes after the lock
  {
    const std::lock_guard lock(contents_->mutex);
    auto& members = contents_->members;
    const auto found = std::find_if(members.begin(), members.end(),
                                    [&](const Member& member) { return member.pollable == potential; });
    if (found == members.end()) throw UnknownPollable();
    removed = std::move(*found);
    members.erase(found);
    removed.call->leave();
  }
  contents_->signal->notify();  // it may have been the last
}

std::uint16_t PollableSet::number_left() {
  const std::lock_guard lock(contents_->mutex);
  const auto& members = contents_->members;
  const auto left = std::count_if(members.begin(), members.end(),
                                  [](const Member& member) { return member.call->state() != State::taken; });
  return static_cast<std::uint16_t>(std::min<std::ptrdiff_t>(left, UINT16_MAX));
}

/// Nil if none is ready. Leaves out those that others have taken.
object_reference<Pollable> PollableSet::take_ready() {
  object_reference<Pollable> ready;
  std::vector<Member> gone;  // after the lock
  bool empty = false;
  {
    const std::lock_guard lock(contents_->mutex);
    auto& members = contents_->members;
    for (auto member = members.begin(); member != members.end() && ready == nullptr;) {
      const State state = member->call->state();
      if (state == State::pending) {
        ++member;
        continue;
      }
      if (state == State::ready) ready = member->pollable;
      gone.push_back(*member);
      member->call->leave();
      member = members.erase(member);
    }
    empty = members.empty();
  }
  if (ready == nullptr && empty) throw NoPossiblePollable();
  if (empty) contents_->signal->notify();  // other threads wait in vain
  return ready;
}

/// Calls that the calling thread sees to: some, or all if the ORB has no threads that do.
std::vector<IntrusivePtr<PollableCall>> PollableSet::choose() {
  const std::lock_guard lock(contents_->mutex);
  const auto& members = contents_->members;
  const bool attended =
      std::all_of(members.begin(), members.end(), [](const Member& member) { return member.call->attended(); });
  std::vector<IntrusivePtr<PollableCall>> chosen(attended ? std::min(kSome, members.size()) : members.size());
  const std::size_t first = contents_->next++;
  for (std::size_t i = 0; i < chosen.size(); ++i) chosen[i] = members[(first + i) % members.size()].call;
  return chosen;
}

bool PollableSet::_any_ready() {
  for (const auto& call : choose()) (void)call->poll();
  const std::lock_guard lock(contents_->mutex);
  bool pending = false;
  for (const auto& member : contents_->members) {
    const State state = member.call->state();
    if (state == State::ready) return true;
    pending = pending || state == State::pending;
  }
  if (!pending) throw NoPossiblePollable();
  return false;
}

object_reference<Pollable> PollableSet::get_ready_pollable(std::uint32_t timeout) try {
  const Deadline until = PollableCall::deadline_of(timeout);
  for (milliseconds sleep = kFirstSleep;;) {
    const std::uint64_t seen = contents_->signal->changes();
    if (auto ready = take_ready(); ready != nullptr) return ready;
    const auto chosen = choose();
    if (std::any_of(chosen.begin(), chosen.end(), [](const auto& call) { return call->poll(); })) continue;
    if (timeout == 0) throw NO_RESPONSE(minor::kNoReplyYet, COMPLETED_NO);
    if (until.expired()) throw TIMEOUT(minor::kPollerTimeout, COMPLETED_NO);
    const auto idle = std::find_if(chosen.begin(), chosen.end(), [](const auto& call) { return !call->attended(); });
    if (idle != chosen.end()) {
      (void)(*idle)->wait(earlier(until, Deadline::after(kFirstSleep)));
    } else if (!contents_->signal->wait(seen, earlier(until, Deadline::after(sleep)))) {
      sleep = std::min(2 * sleep, kLongestSleep);
    }
  }
} catch (const std::bad_alloc&) {
  PollableCall::refuse_for_memory();
}

}  // namespace CORBA
