// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <iosfwd>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "corbel/corba/call.hpp"
#include "corbel/corba/exception.hpp"

namespace IDL {
/// Everything known about a mapped type (OMG IDL-to-C++11 mapping 1.7, 6.5). Generated code specialises it.
template <class T>
struct traits;

/// How traits<T>::write formats; users may specialise it for their types (corbel/mapping/print.hpp).
template <class T, class Stream = std::ostream>
struct formatter;

/// What traits<T>::write returns, to be written to a stream at once: corbel/mapping/print.hpp has its operator<<. A
/// Format other than void, which stands for formatter<T>, is made without arguments and called with stream and value.
template <class T, class Format = void>
struct writer {
  const T& value;
};

/// The part of all traits that formats (OMG IDL-to-C++11 mapping 1.7, 6.30).
template <class T>
struct formatted_traits {
  template <class Format = void>
  static writer<T, Format> write(const T& value) {
    return {value};
  }
  template <class Stream, class Format = formatter<T>>
  static Stream& write_on(Stream& stream, const T& value, Format format = Format()) {
    format(stream, value);
    return stream;
  }
};
}  // namespace IDL

namespace PortableServer {
class Servant;
}

namespace CORBA {

template <class T>
class servant_reference;

class AbstractBase;
class ORB;
class NVList;
class Policy;
class Request;
struct NamedValue;
class ValueBase;
class ValueFactoryBase;
template <class T>
class weak_object_reference;

namespace detail {
[[noreturn]] CORBEL_API void throw_nil_reference();
}

/// A reference to an object of interface T: shared ownership of the stub (or local object), nil by default. Copies
/// freely; converts to bases; converts to derived interfaces only through `IDL::traits<T>::narrow`. Using a nil
/// reference throws INV_OBJREF. Distinct copies may be used in distinct threads.
template <class T>
class object_reference {
 public:
  using element_type = T;

  constexpr object_reference() noexcept = default;
  constexpr object_reference(std::nullptr_t) noexcept {}
  constexpr explicit object_reference(corbel::base::SharedPtr<T> object) noexcept : object_(std::move(object)) {}
  template <class U>
  requires std::is_convertible_v<U*, T*> object_reference(const object_reference<U>& other)
  noexcept : object_(other._shared()) {}
  template <class U>
  requires std::is_convertible_v<U*, T*> object_reference(object_reference<U>&& other)
  noexcept : object_(std::move(other)._shared()) {}

  T* operator->() const {
    if (object_ == nullptr) [[unlikely]]
      detail::throw_nil_reference();
    return object_.get();
  }
  T& operator*() const { return *operator->(); }
  explicit operator bool() const noexcept { return object_ != nullptr; }
  void reset() noexcept { object_.reset(); }
  void swap(object_reference& other) noexcept { object_.swap(other.object_); }
  friend void swap(object_reference& a, object_reference& b) noexcept { a.swap(b); }
  weak_object_reference<T> weak_reference() const noexcept;
  friend bool operator==(const object_reference& reference, std::nullptr_t) noexcept {
    return reference.object_ == nullptr;
  }
  /// Same stub, not same object: for that use _is_equivalent.
  friend bool operator==(const object_reference& a, const object_reference& b) noexcept {
    return a.object_ == b.object_;
  }
  /// An order of stubs, the same as long as they live, for containers that want one; std::hash agrees with it and with
  /// `==`. The same object may have several stubs.
  friend std::strong_ordering operator<=>(const object_reference& a, const object_reference& b) noexcept {
    return std::compare_three_way()(a.object_.get(), b.object_.get());
  }

  /// For the ORB and generated code.
  const corbel::base::SharedPtr<T>& _shared() const& noexcept { return object_; }
  corbel::base::SharedPtr<T> _shared() && noexcept { return std::move(object_); }

 private:
  corbel::base::SharedPtr<T> object_;
};

/// Observes an object without keeping it alive.
template <class T>
class weak_object_reference {
 public:
  weak_object_reference() noexcept = default;
  weak_object_reference(const object_reference<T>& reference) noexcept : object_(reference._shared()) {}
  /// A reference, nil if the object is gone.
  object_reference<T> lock() const noexcept { return object_reference<T>(object_.lock()); }
  /// True if the object is gone, or there never was one.
  bool expired() const noexcept { return object_.expired(); }
  void reset() noexcept { object_.reset(); }

 private:
  corbel::base::WeakPtr<T> object_;
};

template <class T>
weak_object_reference<T> object_reference<T>::weak_reference() const noexcept {
  return weak_object_reference<T>(*this);
}

// More of policies is in corbel/corba/policy.hpp.
using PolicyType = std::uint32_t;
using PolicyTypeSeq = std::vector<PolicyType>;
using PolicyList = std::vector<object_reference<Policy>>;
enum class SetOverrideType : std::uint32_t;

/// Base of every stub and, with LocalObject, of objects that never leave the process. Thread-safe.
class CORBEL_API Object {
 public:
  virtual ~Object();
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  /// True if the object supports the interface; asks the object unless the answer is known here. Throws as any call.
  virtual bool _is_a(const std::string& repository_id);
  /// True if the object is known to be gone for good. Throws if that cannot be found out.
  virtual bool _non_existent();
  /// True if both are known to refer to the same object, without asking it.
  virtual bool _is_equivalent(const object_reference<Object>& other);
  /// Stable hash of the reference, at most `maximum`.
  virtual std::uint32_t _hash(std::uint32_t maximum);
  /// The most derived interface's repository id, asked from the object.
  virtual std::string _repository_id();
  virtual object_reference<ORB> _get_orb();
  /// The component that the object belongs to, asked from the object: nil, mostly.
  virtual object_reference<Object> _get_component();
  /// What an interface repository says about the object's interface (a CORBA::InterfaceDef), asked from the object;
  /// throws what it answers: INTF_REPOS, mostly.
  virtual object_reference<Object> _get_interface();

  // Policies (CORBA 3.3 part 1, 8.10, 17.2): those of a reference are stronger than those of the calling thread
  // (PolicyCurrent), and these than the ORB's (ORBPolicyManager). Local objects throw NO_IMPLEMENT.

  /// A reference to the same object with these overrides, or these added to its own (8.3.9); narrow it. This one stays
  /// as it is. `corbel::with_policies` and `with_timeout` (corbel/mapping/with_policies.hpp) do the same for a
  /// reference of any type. Throws as PolicyManager::set_policy_overrides.
  virtual object_reference<Object> _set_policy_overrides(const PolicyList& policies, SetOverrideType set_add);
  /// The overrides of just this reference, of those types; all if there are no types (8.3.10).
  virtual PolicyList _get_policy_overrides(const PolicyTypeSeq& types);
  /// The policy that a call would obey now (8.3.7); throws INV_POLICY minor OMG 2 if there is none of the type. A
  /// server's references tell nothing that could change what the client wants.
  virtual object_reference<Policy> _get_policy(PolicyType type);
  /// The same, but nil if there is none of the type (8.3.8).
  virtual object_reference<Policy> _get_client_policy(PolicyType type);
  /// Connects, if a call would have to, and is the way to bind anew under RebindPolicy NO_REBIND and NO_RECONNECT
  /// (8.3.11). False if the policies that a call from this thread obeys would end it in INV_POLICY:
  /// `inconsistent_policies` has some then that do so, the client's or those that the reference says. Whatever else
  /// prevents a call is thrown.
  virtual bool _validate_connection(PolicyList& inconsistent_policies);

  /// A call to be put together at run time (corbel/dynamic/request.hpp). Throws NO_IMPLEMENT for local objects.
  object_reference<Request> _request(const std::string& operation);
  object_reference<Request> _create_request(const std::string& operation, const NVList& arguments,
                                            const NamedValue& result);
  /// True for objects that cannot be marshalled.
  virtual bool _is_local() const noexcept { return target_ == nullptr; }

  /// For the ORB and generated code: where calls go; nullptr for local objects.
  const corbel::corba::TargetPtr& _target() const noexcept { return target_; }
  /// The same object called without a connection, if it is in this process and the options say otherwise; else nil.
  object_reference<Object> _called_directly() const;
  void _bind(corbel::corba::TargetPtr target) noexcept { target_ = std::move(target); }
  /// True if the stub's static type (or a base of it) has this id.
  virtual bool _static_is_a(std::string_view repository_id) const noexcept;

 protected:
  Object() noexcept = default;

 private:
  corbel::corba::TargetPtr target_;
};

/// Base of locality-constrained objects: no reference to them may be marshalled (MARSHAL minor OMG 4).
class CORBEL_API LocalObject : public virtual Object, public virtual corbel::base::SharedFromThis {
 public:
  bool _is_a(const std::string& repository_id) override;
  bool _non_existent() override { return false; }
  std::string _repository_id() override;
  object_reference<ORB> _get_orb() override;
  object_reference<Object> _get_component() override;
  object_reference<Object> _get_interface() override;

 protected:
  LocalObject() noexcept = default;
  /// A reference to this object, which make_reference made; nil while it is being destroyed. In classes generated of
  /// local interfaces it is one of that interface.
  object_reference<LocalObject> _this();
  /// The same, by the name that programs for TAOX11 know.
  object_reference<LocalObject> _lock() { return _this(); }
};

/// Create servants, local objects and other reference types; never use `new` for them. A class whose constructors are
/// not public has the one that creates it as a friend.
template <class T, class = std::enable_if_t<std::is_base_of_v<PortableServer::Servant, T>>, class... Arguments>
servant_reference<T> make_reference(Arguments&&... arguments);
template <class T, class = std::enable_if_t<!std::is_base_of_v<PortableServer::Servant, T>>, class... Arguments>
object_reference<T> make_reference(Arguments&&... arguments) {
  return object_reference<T>(corbel::base::make_shared_by<T>(
      [&](void* place) { return ::new (place) T(std::forward<Arguments>(arguments)...); }));
}

/// The older name of the traits of references.
template <class T>
using object_traits = IDL::traits<T>;

}  // namespace CORBA

template <class T>
struct std::hash<CORBA::object_reference<T>> {
  std::size_t operator()(const CORBA::object_reference<T>& reference) const noexcept {
    return std::hash<const T*>()(reference._shared().get());
  }
};

namespace corbel::corba {

class DiiRequests;

/// What an ORB offers to the code below and above it; reached through Target::context and Decoder::context.
class CORBEL_API OrbContext : public cdr::Context {
 public:
  /// A generic stub for a reference received or parsed; nil for a nil IOR. Never throws for a well-formed IOR: a
  /// reference without usable profile fails when it is used.
  virtual CORBA::object_reference<CORBA::Object> make_object(ior::Ior ior) = 0;
  virtual CORBA::object_reference<CORBA::ORB> orb() = 0;
  /// The factory registered for a valuetype; nil if none.
  virtual CORBA::object_reference<CORBA::ValueFactoryBase> find_value_factory(std::string_view) { return nullptr; }
  /// The deferred requests of the ORB; null if it sends none.
  virtual base::SharedPtr<DiiRequests> dii_requests() { return nullptr; }
  /// What is allowed for what comes from outside.
  virtual const cdr::Limits& limits() const noexcept;
  /// For what is decoded later: an owner of this, or of what it is a part of.
  virtual base::SharedPtr<OrbContext> hold();
  /// True from ORB::destroy() on. Thread-safe.
  virtual bool is_destroyed() const noexcept { return false; }

 protected:
  ~OrbContext() = default;
};

}  // namespace corbel::corba

namespace IDL {
template <>
struct traits<CORBA::Object> : formatted_traits<CORBA::object_reference<CORBA::Object>> {
  using value_type = CORBA::object_reference<CORBA::Object>;
  using ref_type = CORBA::object_reference<CORBA::Object>;
  using weak_ref_type = CORBA::weak_object_reference<CORBA::Object>;
  using in_type = ref_type;
  using out_type = ref_type&;
  using inout_type = ref_type&;
  using is_local = std::false_type;
  using is_abstract = std::false_type;
  static ref_type narrow(ref_type object) { return object; }
};
}  // namespace IDL
