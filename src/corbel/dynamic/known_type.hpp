// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "corbel/dynamic/type_code.hpp"

namespace corbel::dynamic {

/// Makes a TypeCode known by its repository id as long as it lives. The NAME_any.cpp of generated code has one for each
/// exception, which may be put into an Any as a CORBA::Exception, and for each valuetype and box, which may stand in an
/// Any where its base is expected. Thread-safe.
class CORBEL_API KnownType {
 public:
  /// `code` is a constant.
  explicit KnownType(const CORBA::TypeCode& code) noexcept;
  ~KnownType();
  KnownType(const KnownType&) = delete;
  KnownType& operator=(const KnownType&) = delete;

  /// The TypeCode with this repository id; nil if none is known. Takes as long however many are.
  static CORBA::typecode_reference find(std::string_view id);

 private:
  const CORBA::TypeCode& code_;
  KnownType* next_;
};

}  // namespace corbel::dynamic
