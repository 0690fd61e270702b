// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "corbel/dynamic/type_code.hpp"

namespace corbel::bridge {

/// The types in the messages of one operation. A value.
struct Signature {
  std::vector<CORBA::typecode_reference> request;  ///< in and inout parameters, in order
  std::vector<CORBA::typecode_reference> reply;    ///< the result unless it is void, then inout and out parameters
  std::map<std::string, CORBA::typecode_reference, std::less<>> exceptions;  ///< by repository id
  bool request_refers = false;                                               ///< there may be references in requests
  bool reply_refers = false;  ///< there may be references in replies, exceptions included
};

/// What is known of interfaces. Thread-safe, and does not change while a bridge uses it.
class Signatures {
 public:
  virtual ~Signatures() = default;
  /// Of an operation (as on the wire: _get_x) of an object whose reference has this type id, which may be empty or that
  /// of a base; null if it is not known.
  virtual const Signature* find(std::string_view type_id, std::string_view operation) const = 0;
};

/// True if values of the type may hold references, or those of one of `values`, valuetypes, which may stand in it for
/// their bases.
CORBEL_API bool may_refer(const CORBA::TypeCode& type, std::span<const CORBA::typecode_reference> values = {});

}  // namespace corbel::bridge
