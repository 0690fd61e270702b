// SPDX-License-Identifier: Apache-2.0
#include "corbel/corba/pollable.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <utility>

#include "corbel/cdr/encoder.hpp"
#include "corbel/corba/define_exception.hpp"
#include "corbel/corba/dii_requests.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/corba/poll_signal.hpp"

namespace CORBA {

namespace minor = corbel::corba::minor;
using corbel::base::Deadline;
using corbel::base::IntrusivePtr;
using corbel::base::SharedPtr;
using corbel::corba::DiiRequests;
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

/// What PollableSet::create_dii_pollable makes.
class AnyDiiRequest final : public DIIPollable {
 public:
  explicit AnyDiiRequest(SharedPtr<DiiRequests> requests) : requests_(std::move(requests)), call_(requests_->any()) {}
  PollableCall& _pollable_call() override { return *call_; }
  SharedPtr<DiiRequests> _dii_requests() const override { return requests_; }
  void _check_ready() const override {
    if (requests_->is_over()) throw BAD_INV_ORDER(minor::kOrbShutDown, COMPLETED_NO);
  }

 private:
  const SharedPtr<DiiRequests> requests_;
  const IntrusivePtr<PollableCall> call_;
};

[[noreturn]] void throw_delivered() {
  throw OBJECT_NOT_EXIST(minor::kReplyDelivered, COMPLETED_NO);
}

}  // namespace

bool Pollable::is_ready(std::uint32_t timeout) {
  const State state = _pollable_call().await(timeout);
  if (state == State::taken) throw_delivered();
  if (state != State::ready) return false;
  _check_ready();
  return true;
}

object_reference<PollableSet> Pollable::create_pollable_set() try {
  auto set = object_reference<PollableSet>(corbel::base::make_shared<PollableSet>(_dii_requests()));
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
/// It sees to so many calls at a time, if the ORB has threads that should.
constexpr std::size_t kSome = 8;

}  // namespace

struct PollableSet::Member {
  object_reference<Pollable> pollable;
  IntrusivePtr<PollableCall> call;
  bool attended = true;  // when it was added
};

/// Nothing but number_left() and remove() looks at all members: what is over lists itself at the signal.
struct PollableSet::Contents {
  using Members = std::map<std::uint64_t, Member>;

  /// With the mutex: the first member that is over, ready or taken; end() if none is.
  Members::iterator first_over() {
    while (const std::uint64_t number = signal->first_over()) {
      const auto found = members.find(number);
      if (found != members.end() && found->second.call->state() != State::pending) return found;
      signal->drop_first(number);  // it has left, or is no longer ready
    }
    if (!signal->some_unlisted(false)) return members.end();
    const auto found = std::find_if(members.begin(), members.end(),
                                    [](const auto& one) { return one.second.call->state() != State::pending; });
    if (found != members.end()) signal->some_unlisted(true);
    return found;
  }
  /// With the mutex. What is returned goes after the lock.
  Member erase(Members::iterator member) noexcept {
    Member gone = std::move(member->second);
    if (!gone.attended) --unattended;
    gone.call->leave();
    members.erase(member);
    return gone;
  }
  /// How many calls a thread sees to before it sleeps: some, or all if the ORB has no threads that do.
  std::size_t to_see_to() {
    const std::lock_guard lock(mutex);
    return unattended == 0 ? std::min(kSome, members.size()) : members.size();
  }
  /// One after the other, in a circle; null if there are none.
  IntrusivePtr<PollableCall> next() {
    const std::lock_guard lock(mutex);
    auto found = members.upper_bound(last_seen);
    if (found == members.end()) found = members.begin();
    if (found == members.end()) return nullptr;
    last_seen = found->first;
    return found->second.call;
  }

  const corbel::base::SharedPtr<corbel::corba::PollSignal> signal =
      corbel::base::make_shared<corbel::corba::PollSignal>();
  corbel::base::Mutex mutex;      // guards what follows; taken before those of calls and of the signal
  Members members;                // by their numbers, which grow
  std::uint64_t last_number = 0;  // given
  std::uint64_t last_seen = 0;    // seen to
  std::size_t unattended = 0;     // members that no thread of the ORB sees to
};

PollableSet::PollableSet(SharedPtr<DiiRequests> requests)
    : requests_(std::move(requests)), contents_(corbel::base::make_shared<Contents>()) {}

PollableSet::~PollableSet() {
  for (const auto& [number, member] : contents_->members) member.call->leave();
}

bool PollableSet::_static_is_a(std::string_view repository_id) const noexcept {
  return repository_id == _interface_id || LocalObject::_static_is_a(repository_id);
}

object_reference<DIIPollable> PollableSet::create_dii_pollable() try {
  return object_reference<DIIPollable>(corbel::base::make_shared<AnyDiiRequest>(requests_));
} catch (const std::bad_alloc&) {
  PollableCall::refuse_for_memory();
}

void PollableSet::add_pollable(const object_reference<Pollable>& potential) try {
  if (potential == nullptr) throw BAD_PARAM(0, COMPLETED_NO, "no pollable");
  PollableCall& call = potential->_pollable_call();
  if (call.state() == State::taken) throw_delivered();
  {
    const std::lock_guard lock(contents_->mutex);
    auto& members = contents_->members;
    const std::uint64_t number = contents_->last_number + 1;
    const auto added = members.emplace(number, Member{potential, IntrusivePtr(&call), call.attended()}).first;
    if (!call.enter(contents_->signal, number)) {
      members.erase(added);
      throw BAD_PARAM(minor::kInPollableSet, COMPLETED_NO);
    }
    contents_->last_number = number;
    if (!added->second.attended) ++contents_->unattended;
    if (contents_->signal->count() > 2 * members.size() + kSome)
      contents_->signal->keep([&](std::uint64_t one) { return members.contains(one); });
    // One that was over before lists itself no more.
    if (call.state() != State::pending) contents_->signal->notify(number);
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
    const auto found =
        std::find_if(members.begin(), members.end(), [&](const auto& one) { return one.second.pollable == potential; });
    if (found == members.end()) throw UnknownPollable();
    removed = contents_->erase(found);
  }
  contents_->signal->notify();  // it may have been the last
}

std::uint16_t PollableSet::number_left() {
  const std::lock_guard lock(contents_->mutex);
  const auto& members = contents_->members;
  const auto left = std::count_if(members.begin(), members.end(),
                                  [](const auto& one) { return one.second.call->state() != State::taken; });
  return static_cast<std::uint16_t>(std::min<std::ptrdiff_t>(left, UINT16_MAX));
}

/// Nil if none is ready. Leaves out those that others have taken.
object_reference<Pollable> PollableSet::take_ready() {
  for (;;) {
    Member gone;  // goes after the lock
    bool empty = false;
    bool ready = false;
    {
      const std::lock_guard lock(contents_->mutex);
      const auto over = contents_->first_over();
      if (over != contents_->members.end()) {
        const State state = over->second.call->state();
        ready = state == State::ready;
        if (state != State::pending) gone = contents_->erase(over);
      }
      empty = contents_->members.empty();
    }
    if (empty && gone.call != nullptr) contents_->signal->notify();  // other threads wait in vain
    if (ready) {
      gone.pollable->_check_ready();
      return std::move(gone.pollable);
    }
    if (empty) throw NoPossiblePollable();
    if (gone.call == nullptr) return nullptr;
  }
}

/// Looks after what has come for calls of the set until one of them is over, and says whether one may be. `idle`: one
/// that no other thread sees to.
bool PollableSet::see_to_some(std::uint64_t seen, IntrusivePtr<PollableCall>& idle) {
  for (std::size_t left = contents_->to_see_to(); left != 0; --left) {
    auto call = contents_->next();
    if (call == nullptr) return true;
    if (call->poll() || contents_->signal->changes() != seen) return true;
    if (idle == nullptr && !call->attended()) idle = std::move(call);
  }
  return false;
}

bool PollableSet::_any_ready() {
  IntrusivePtr<PollableCall> idle;
  (void)see_to_some(contents_->signal->changes(), idle);
  for (;;) {
    Member gone;  // goes after the lock
    const std::lock_guard lock(contents_->mutex);
    if (contents_->members.empty()) throw NoPossiblePollable();
    const auto over = contents_->first_over();
    if (over == contents_->members.end()) return false;
    if (over->second.call->state() == State::ready) return true;
    gone = contents_->erase(over);  // others have taken it
  }
}

object_reference<Pollable> PollableSet::get_ready_pollable(std::uint32_t timeout) try {
  const Deadline until = PollableCall::deadline_of(timeout);
  for (milliseconds sleep = kFirstSleep;;) {
    const std::uint64_t seen = contents_->signal->changes();
    if (auto ready = take_ready(); ready != nullptr) return ready;
    IntrusivePtr<PollableCall> idle;
    if (see_to_some(seen, idle)) continue;
    if (timeout == 0) throw NO_RESPONSE(minor::kNoReplyYet, COMPLETED_NO);
    if (until.expired()) throw TIMEOUT(minor::kPollerTimeout, COMPLETED_NO);
    if (idle != nullptr) {
      (void)idle->wait(earlier(until, Deadline::after(kFirstSleep)));
    } else if (!contents_->signal->wait(seen, earlier(until, Deadline::after(sleep)))) {
      sleep = std::min(2 * sleep, kLongestSleep);
    }
  }
} catch (const std::bad_alloc&) {
  PollableCall::refuse_for_memory();
}

}  // namespace CORBA
