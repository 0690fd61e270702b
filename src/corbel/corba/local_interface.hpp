// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "corbel/base/export.hpp"

namespace CORBA {
class LocalObject;
}

namespace corbel::corba {

/// Which objects implement a local interface, known by its repository id as long as this lives: what
/// LocalObject::_is_a goes by. No virtual function says so, for a class may implement interfaces that know nothing of
/// each other, as a client's and a server's interceptor. Thread-safe.
class CORBEL_API LocalInterface {
 public:
  using Test = bool (*)(const CORBA::LocalObject& object) noexcept;

  /// `id` and `test` are constants.
  LocalInterface(std::string_view id, Test test) noexcept;
  ~LocalInterface();
  LocalInterface(const LocalInterface&) = delete;
  LocalInterface& operator=(const LocalInterface&) = delete;

  /// Whether the object implements the interface of that id; false if none is known.
  static bool is_a(const CORBA::LocalObject& object, std::string_view id) noexcept;

 private:
  std::string_view id_;
  Test test_;
  LocalInterface* next_;
};

/// Makes interface I known: instantiated explicitly where its code is.
template <class I>
struct KnownLocalInterface {
  static const LocalInterface entry;
};
template <class I>
const LocalInterface KnownLocalInterface<I>::entry(I::_interface_id, [](const CORBA::LocalObject& object) noexcept {
  return dynamic_cast<const I*>(&object) != nullptr;
});

}  // namespace corbel::corba
