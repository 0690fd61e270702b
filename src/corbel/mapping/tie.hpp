// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

#include "corbel/corba/servant.hpp"

namespace corbel::mapping {

/// What a tie delegates to, shared with whoever made it, and the adapter that implicit activation uses (OMG
/// IDL-to-C++11 mapping 1.7, 6.26.6). Replacing the object while requests run is a race that the application prevents.
template <class T>
class Tied {
 public:
  /// `owner`: std::shared_ptr, std::unique_ptr, base::SharedPtr or any other smart pointer, which is kept. A nil `poa`
  /// is the root POA.
  template <class Owner>
  Tied(Owner owner, CORBA::object_reference<PortableServer::POA> poa)
      : object_(share(std::move(owner))), poa_(std::move(poa)) {}

  T* operator->() const noexcept { return object_.get(); }
  const std::shared_ptr<T>& object() const noexcept { return object_; }
  void object(std::shared_ptr<T> object) noexcept { object_ = std::move(object); }
  /// The adapter that was given, or else the root POA.
  CORBA::object_reference<PortableServer::POA> adapter(PortableServer::Servant& servant) const {
    return poa_ ? poa_ : servant.PortableServer::Servant::_default_POA();
  }

 private:
  template <class Owner>
  static std::shared_ptr<T> share(Owner owner) {
    if constexpr (std::is_convertible_v<Owner, std::shared_ptr<T>>) {
      return owner;
    } else {
      T* const object = owner.get();
      return std::shared_ptr<T>(std::make_shared<Owner>(std::move(owner)), object);
    }
  }

  std::shared_ptr<T> object_;
  CORBA::object_reference<PortableServer::POA> poa_;
};

}  // namespace corbel::mapping
