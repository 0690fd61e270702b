// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "corbel/dynamic/type_code.hpp"

namespace corbel::dynamic {

/// Makes the TypeCode of an exception known as long as it lives. The NAME_any.cpp of generated code has one for each
/// exception: what is put into an Any as a CORBA::Exception finds its TypeCode by its repository id. Thread-safe.
class CORBEL_API KnownException {
 public:
  /// `code` is a constant.
  explicit KnownException(const CORBA::TypeCode& code) noexcept;
  ~KnownException();
  KnownException(const KnownException&) = delete;
  KnownException& operator=(const KnownException&) = delete;

  /// The TypeCode with this repository id; nil if none is known.
  static CORBA::typecode_reference find(std::string_view id);

 private:
  const CORBA::TypeCode& code_;
  KnownException* next_;
};

}  // namespace corbel::dynamic
