// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/corba/object.hpp"

namespace corbel::corba {

/// Traits of a local interface or pseudo object I: references that never leave the process. I may be incomplete until
/// narrow is used.
template <class I>
struct LocalTraits : IDL::formatted_traits<CORBA::object_reference<I>> {
  using value_type = CORBA::object_reference<I>;
  using ref_type = CORBA::object_reference<I>;
  using weak_ref_type = CORBA::weak_object_reference<I>;
  using base_type = I;
  using in_type = ref_type;
  using out_type = ref_type&;
  using inout_type = ref_type&;
  using is_local = std::true_type;
  using is_abstract = std::false_type;

  /// The object as an I; nil if it is nil or no I.
  static ref_type narrow(const CORBA::object_reference<CORBA::Object>& object) {
    return ref_type(base::dynamic_pointer_cast<I>(object._shared()));
  }
  /// A new Implementation, which derives from base_type.
  template <class Implementation, class... Arguments>
  static ref_type make_reference(Arguments&&... arguments) {
    return CORBA::make_reference<Implementation>(std::forward<Arguments>(arguments)...);
  }
};

}  // namespace corbel::corba

template <>
struct IDL::traits<CORBA::LocalObject> : corbel::corba::LocalTraits<CORBA::LocalObject> {};
