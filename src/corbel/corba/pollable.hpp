// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "corbel/corba/local_traits.hpp"
#include "corbel/corba/pollable_call.hpp"
#include "corbel/corba/value.hpp"

namespace corbel::corba {
class DiiRequests;
}

/// Waiting for one of several replies (CORBA 3.3 part 1, 7.4). Times are milliseconds; 0 is at once, 0xffffffff for
/// ever.
namespace CORBA {

class PollableSet;

/// Raised by polls of requests that belong to another transaction (CORBA 3.3 part 1, 7.3, 22.10.1). Corbel has no
/// transactions and never raises it; it is there to be named in handlers.
class CORBEL_API WrongTransaction final : public UserException {
 public:
  static constexpr const char* _id = "IDL:omg.org/CORBA/WrongTransaction:1.0";
  [[noreturn]] void _raise() const override;
  const char* _rep_id() const noexcept override;
  const char* _name() const noexcept override;
  void _encode(corbel::cdr::Encoder& encoder) const override;
};

/// What can be asked whether it is ready: a poller, a deferred request. Stays in the process. Thread-safe.
class CORBEL_API Pollable : public virtual ValueBase, public virtual corbel::base::SharedFromThis {
 public:
  static constexpr std::string_view _value_id = "IDL:omg.org/CORBA/Pollable:1.0";

  /// Waits until the reply is there, at most for that time; false if it is not there then. Throws OBJECT_NOT_EXIST
  /// minor OMG 5 if somebody has it already.
  virtual bool is_ready(std::uint32_t timeout);
  /// A new set with just this in it. Throws BAD_PARAM minor OMG 43 if it is in a set already.
  virtual object_reference<PollableSet> create_pollable_set();

  /// For the ORB. Throws if there is no reply to wait for.
  virtual corbel::corba::PollableCall& _pollable_call() = 0;
  /// For the ORB: the deferred requests of the ORB that it is of.
  virtual corbel::base::SharedPtr<corbel::corba::DiiRequests> _dii_requests() const = 0;
  /// For the ORB, of one that is ready: throws if nothing is to be got all the same.
  virtual void _check_ready() const {}
  const corbel::corba::ValueType& _value_type() const noexcept override;
  void _encode_state(corbel::cdr::Encoder& encoder) const override;
  void _decode_state(corbel::cdr::Decoder& decoder) override;

 protected:
  Pollable() noexcept = default;
};

/// A pollable that is a request of the dynamic invocation interface, CORBA::Request, or stands for all of them.
class CORBEL_API DIIPollable : public virtual Pollable {
 protected:
  DIIPollable() noexcept = default;
};

/// Pollables, for threads that wait for whichever is ready first. One pollable is in one set at most; what has been
/// ready, or was taken by another thread, is in it no longer. Keeps its pollables alive. Taking one costs the same
/// however many there are, number_left() and remove() what all cost. Thread-safe.
class CORBEL_API PollableSet final : public LocalObject {
 public:
  static constexpr std::string_view _interface_id = "IDL:omg.org/CORBA/PollableSet:1.0";

  /// There is nothing in the set that could become ready.
  class CORBEL_API NoPossiblePollable final : public UserException {
   public:
    static constexpr const char* _id = "IDL:omg.org/CORBA/PollableSet/NoPossiblePollable:1.0";
    [[noreturn]] void _raise() const override;
    const char* _rep_id() const noexcept override;
    const char* _name() const noexcept override;
    void _encode(corbel::cdr::Encoder& encoder) const override;
  };
  /// The pollable is not in the set.
  class CORBEL_API UnknownPollable final : public UserException {
   public:
    static constexpr const char* _id = "IDL:omg.org/CORBA/PollableSet/UnknownPollable:1.0";
    [[noreturn]] void _raise() const override;
    const char* _rep_id() const noexcept override;
    const char* _name() const noexcept override;
    void _encode(corbel::cdr::Encoder& encoder) const override;
  };

  /// A new pollable, to be added to a set, that is ready while the response to any deferred request of this ORB, that
  /// of the pollable which has made the set, is there to be got (by get_response() or ORB::get_next_response());
  /// requests that have been dropped do not count. It may be added again and again. One request can be added itself.
  /// Once the ORB has ended and no response is there, who waits for it, or asks, gets BAD_INV_ORDER minor OMG 4
  /// (is_ready(), and get_ready_pollable(), which takes it out of the set).
  object_reference<DIIPollable> create_dii_pollable();
  /// Throws BAD_PARAM if it is nil, minor OMG 43 if it is in a set; OBJECT_NOT_EXIST minor OMG 5 if its reply has been
  /// taken.
  void add_pollable(const object_reference<Pollable>& potential);
  /// Takes one that is ready out of the set, waiting for that time; those that were added first come first. Throws
  /// TIMEOUT minor OMG 1 if the time passes, NO_RESPONSE minor OMG 1 if there was none to pass, NoPossiblePollable if
  /// nothing is left.
  object_reference<Pollable> get_ready_pollable(std::uint32_t timeout);
  /// Throws UnknownPollable, or BAD_PARAM if it is nil.
  void remove(const object_reference<Pollable>& potential);
  /// How many may become ready, at most 65535.
  std::uint16_t number_left();
  /// For the ORB: whether get_ready_pollable() would not wait. Throws NoPossiblePollable if nothing is left.
  bool _any_ready();

  bool _static_is_a(std::string_view repository_id) const noexcept override;

  /// Pollable::create_pollable_set makes them. `requests`: of an ORB, not null.
  explicit PollableSet(corbel::base::SharedPtr<corbel::corba::DiiRequests> requests);
  ~PollableSet() override;

 private:
  struct Member;
  struct Contents;

  object_reference<Pollable> take_ready();
  bool see_to_some(std::uint64_t seen, corbel::base::IntrusivePtr<corbel::corba::PollableCall>& idle);

  const corbel::base::SharedPtr<corbel::corba::DiiRequests> requests_;
  const corbel::base::SharedPtr<Contents> contents_;
};

}  // namespace CORBA

namespace corbel::corba {

/// Traits of what is a Pollable. V may be incomplete until narrow is used.
template <class V>
struct PollableTraits : IDL::formatted_traits<CORBA::valuetype_reference<V>> {
  using value_type = CORBA::valuetype_reference<V>;
  using ref_type = CORBA::valuetype_reference<V>;
  using weak_ref_type = CORBA::weak_object_reference<V>;
  using base_type = V;
  using in_type = ref_type;
  using out_type = ref_type&;
  using inout_type = ref_type&;
  using is_abstract = std::false_type;
  using is_truncatable = std::false_type;

  /// The value as a V; nil if it is nil or no V.
  static ref_type narrow(const CORBA::valuetype_reference<CORBA::ValueBase>& value) {
    return ref_type(base::dynamic_pointer_cast<V>(value._shared()));
  }
};

}  // namespace corbel::corba

namespace IDL {
template <>
struct traits<CORBA::Pollable> : corbel::corba::PollableTraits<CORBA::Pollable> {};
template <>
struct traits<CORBA::DIIPollable> : corbel::corba::PollableTraits<CORBA::DIIPollable> {};
template <>
struct traits<CORBA::PollableSet> : corbel::corba::LocalTraits<CORBA::PollableSet> {};
}  // namespace IDL
