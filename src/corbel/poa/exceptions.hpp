// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/corba/exception.hpp"

/// Declares a user exception without members, nested where it is used; CORBEL_POA_DEFINE_EXCEPTION in the room's
/// sources defines it.
#define CORBEL_POA_EXCEPTION(NAME, SCOPE)                                                    \
  class CORBEL_API NAME final : public CORBA::UserException {                                \
   public:                                                                                   \
    static constexpr const char* _id = "IDL:omg.org/PortableServer/" SCOPE "/" #NAME ":1.0"; \
    [[noreturn]] void _raise() const override;                                               \
    const char* _rep_id() const noexcept override;                                           \
    const char* _name() const noexcept override;                                             \
    void _encode(corbel::cdr::Encoder& encoder) const override;                              \
  }
