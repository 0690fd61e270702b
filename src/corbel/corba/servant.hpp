// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "corbel/corba/object.hpp"
#include "corbel/corba/servant_core.hpp"

namespace PortableServer {
class POA;
class Servant;
}  // namespace PortableServer

namespace CORBA {

class ValueBase;
template <class T>
class weak_servant_reference;

/// Shared owner of a servant. Nil by default.
template <class T>
class servant_reference {
 public:
  using element_type = T;

  constexpr servant_reference() noexcept = default;
  constexpr servant_reference(std::nullptr_t) noexcept {}
  explicit servant_reference(corbel::base::SharedPtr<T> servant) noexcept : servant_(std::move(servant)) {}
  template <class U>
  requires std::is_convertible_v<U*, T*> servant_reference(const servant_reference<U>& other)
  noexcept : servant_(other._shared()) {}

  /// A servant may also be a value, of a valuetype that supports its interface.
  template <class V>
  requires std::is_convertible_v<T*, V*> && std::is_base_of_v<ValueBase, V>
  operator object_reference<V>() const { return object_reference<V>(corbel::base::SharedPtr<V>(servant_)); }

  T* operator->() const {
    if (servant_ == nullptr) [[unlikely]]
      detail::throw_nil_reference();
    return servant_.get();
  }
  T& operator*() const { return *operator->(); }
  explicit operator bool() const noexcept { return servant_ != nullptr; }
  void reset() noexcept { servant_.reset(); }
  weak_servant_reference<T> weak_reference() const noexcept;
  friend bool operator==(const servant_reference& a, const servant_reference& b) noexcept {
    return a.servant_ == b.servant_;
  }
  friend bool operator==(const servant_reference& a, std::nullptr_t) noexcept { return a.servant_ == nullptr; }

  const corbel::base::SharedPtr<T>& _shared() const noexcept { return servant_; }

 private:
  corbel::base::SharedPtr<T> servant_;
};

template <class T>
class weak_servant_reference {
 public:
  weak_servant_reference() noexcept = default;
  weak_servant_reference(const servant_reference<T>& reference) noexcept : servant_(reference._shared()) {}
  servant_reference<T> lock() const noexcept { return servant_reference<T>(servant_.lock()); }
  /// True if the servant is gone, or there never was one.
  bool expired() const noexcept { return servant_.expired(); }

 private:
  corbel::base::WeakPtr<T> servant_;
};

template <class T>
weak_servant_reference<T> servant_reference<T>::weak_reference() const noexcept {
  return weak_servant_reference<T>(*this);
}

/// What belongs to servants of interface T: base_type (the skeleton to derive from), ref_type, weak_ref_type, tie_type.
/// Generated code specialises it (OMG IDL-to-C++11 mapping 1.7, 6.26); for a class that implements a skeleton it has
/// what belongs to that class.
template <class T>
struct servant_traits {
  using base_type = T;
  using ref_type = servant_reference<T>;
  using weak_ref_type = weak_servant_reference<T>;

  /// The servant as a T; nil if it is none.
  template <class U>
  static ref_type narrow(const servant_reference<U>& servant) {
    return ref_type(corbel::base::dynamic_pointer_cast<T>(servant._shared()));
  }
};

}  // namespace CORBA

namespace PortableServer {

/// Base of every skeleton. Create servants with CORBA::make_reference. The ORB calls operations from any of its
/// threads, several at once, unless the POA has the SINGLE_THREAD_MODEL policy.
class CORBEL_API Servant : public corbel::corba::ServantCore {
 public:
  ~Servant() override;
  Servant(const Servant&) = delete;
  Servant& operator=(const Servant&) = delete;

  /// The adapter that implicit activation uses: the root POA unless overridden.
  virtual CORBA::object_reference<POA> _default_POA();
  bool _is_a(const std::string& repository_id) override;
  bool _non_existent() override { return false; }
  /// The most derived interface.
  virtual std::string _repository_id();
  /// The component that the object is a facet of (CORBA 3.3 part 1, 8.3.12); nil, for objects of none, unless
  /// overridden.
  virtual CORBA::object_reference<CORBA::Object> _get_component();
  /// What an interface repository says about the object's interface, a CORBA::InterfaceDef (8.3.1). Throws INTF_REPOS
  /// minor OMG 1 unless overridden: the ORB brings no repository.
  virtual CORBA::object_reference<CORBA::Object> _get_interface();

  /// For object adapters: the most derived interface when the servant serves the object `object_id` of `poa`.
  virtual std::string _interface_of(corbel::base::ConstByteSpan object_id, const CORBA::object_reference<POA>& poa);
  std::string _interface_in(corbel::base::ConstByteSpan object_id, corbel::corba::AdapterCore& adapter) final;
  corbel::ior::Ior _component_reference() final;
  corbel::ior::Ior _interface_reference() final;
  /// For generated code. Finds and serves the operation; false if the interface has none of that name.
  bool _dispatch(corbel::corba::ServerCall& call) override = 0;
  /// For generated code. Repository ids of the interface and all its bases, the most derived first.
  virtual std::span<const std::string_view> _interface_ids() const noexcept = 0;
  /// For generated code: the reference of the current target inside an upcall on this servant, else of the (implicitly
  /// activated) servant in _default_POA().
  CORBA::object_reference<CORBA::Object> _this_object();

 protected:
  Servant() noexcept = default;
  /// A reference to this servant, which make_reference made, for what asks for one (`poa->servant_to_id(_lock())`); nil
  /// while it is being destroyed.
  CORBA::servant_reference<Servant> _lock() { return CORBA::servant_reference<Servant>(shared_from(this)); }
};

}  // namespace PortableServer

namespace CORBA {

template <class T, class, class... Arguments>
servant_reference<T> make_reference(Arguments&&... arguments) {
  return servant_reference<T>(corbel::base::make_shared_by<T>(
      [&](void* place) { return ::new (place) T(std::forward<Arguments>(arguments)...); }));
}

}  // namespace CORBA
