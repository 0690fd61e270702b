// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <iosfwd>
#include <string>
#include <string_view>

#include "corbel/base/export.hpp"
#include "corbel/base/shared_ptr.hpp"
#include "corbel/cdr/encoder.hpp"
#include "corbel/corba/exception_core.hpp"

/// The CORBA exception hierarchy (OMG IDL-to-C++11 mapping 1.7, 6.22). Everything here is a value: copy, move and throw
/// freely; not thread-safe while being modified.
namespace CORBA {

/// Whether the operation was carried out when a system exception was raised.
enum class CompletionStatus : std::uint32_t { COMPLETED_YES, COMPLETED_NO, COMPLETED_MAYBE };
/// As other languages write them: CORBA::COMPLETED_NO.
using enum CompletionStatus;

/// Minor codes with this vendor id are the OMG's (CORBA 3.3 part 1, annex A); ours have kCorbelVmcid.
inline constexpr std::uint32_t OMGVMCID = 0x4f4d0000;

class CORBEL_API Exception : public std::exception {
 public:
  ~Exception() override;
  /// Text for people: the name, and for system exceptions minor code, completion and detail. Valid while this lives and
  /// is not modified. Several threads may ask an exception that they share (through a std::exception_ptr).
  const char* what() const noexcept override;
  /// Throws a copy of the most derived exception.
  [[noreturn]] virtual void _raise() const = 0;
  /// "IDL:omg.org/CORBA/TRANSIENT:1.0".
  virtual const char* _rep_id() const noexcept = 0;
  /// "TRANSIENT".
  virtual const char* _name() const noexcept = 0;

 protected:
  Exception() = default;
  Exception(const Exception& other) noexcept : std::exception(other) {}
  Exception& operator=(const Exception&) noexcept { return *this; }
  /// Writes what what() returns.
  virtual void _info(std::string& text) const;

 private:
  mutable corbel::base::SharedPtr<const std::string> text_;
};

/// Writes what().
CORBEL_API std::ostream& operator<<(std::ostream& stream, const Exception& exception);

class CORBEL_API SystemException : public Exception, public corbel::corba::SystemExceptionCore {
 public:
  const char* _rep_id() const noexcept override = 0;
  const char* what() const noexcept override { return Exception::what(); }

  CompletionStatus completed() const noexcept { return static_cast<CompletionStatus>(_completed()); }
  /// The code that says this answers for it: ended_own_call() is false then.
  void completed(CompletionStatus completed) noexcept { _completed(static_cast<corbel::corba::Completed>(completed)); }

 protected:
  SystemException() = default;
  SystemException(std::uint32_t minor, CompletionStatus completed, std::string detail);
  void _info(std::string& text) const override;
};

class CORBEL_API UserException : public Exception, public corbel::corba::UserExceptionCore {
 public:
  const char* _rep_id() const noexcept override = 0;

 protected:
  UserException() = default;
};

// clang-format off
/// The standard system exceptions (CORBA 3.3 part 1, 7.7.3 and annex A).
#define CORBEL_SYSTEM_EXCEPTIONS(X)                                                                                   \
  X(UNKNOWN) X(BAD_PARAM) X(NO_MEMORY) X(IMP_LIMIT) X(COMM_FAILURE) X(INV_OBJREF) X(NO_PERMISSION) X(INTERNAL)        \
  X(MARSHAL) X(INITIALIZE) X(NO_IMPLEMENT) X(BAD_TYPECODE) X(BAD_OPERATION) X(NO_RESOURCES) X(NO_RESPONSE)            \
  X(PERSIST_STORE) X(BAD_INV_ORDER) X(TRANSIENT) X(FREE_MEM) X(INV_IDENT) X(INV_FLAG) X(INTF_REPOS) X(BAD_CONTEXT)    \
  X(OBJ_ADAPTER) X(DATA_CONVERSION) X(OBJECT_NOT_EXIST) X(TRANSACTION_REQUIRED) X(TRANSACTION_ROLLEDBACK)             \
  X(INVALID_TRANSACTION) X(INV_POLICY) X(CODESET_INCOMPATIBLE) X(REBIND) X(TIMEOUT) X(TRANSACTION_UNAVAILABLE)        \
  X(TRANSACTION_MODE) X(BAD_QOS) X(INVALID_ACTIVITY) X(ACTIVITY_COMPLETED) X(ACTIVITY_REQUIRED) X(THREAD_CANCELLED)

#define CORBEL_DECLARE_SYSTEM_EXCEPTION(NAME)                                                                         \
  class CORBEL_API NAME final : public SystemException {                                                              \
   public:                                                                                                            \
    NAME() = default;                                                                                                 \
    explicit NAME(std::uint32_t minor, CompletionStatus completed = CompletionStatus::COMPLETED_NO,                   \
                  std::string detail = {})                                                                            \
        : SystemException(minor, completed, std::move(detail)) {}                                                     \
    [[noreturn]] void _raise() const override;                                                                        \
    const char* _rep_id() const noexcept override;                                                                    \
    const char* _name() const noexcept override;                                                                      \
  };
CORBEL_SYSTEM_EXCEPTIONS(CORBEL_DECLARE_SYSTEM_EXCEPTION)
#undef CORBEL_DECLARE_SYSTEM_EXCEPTION
// clang-format on

}  // namespace CORBA

namespace corbel::corba {

/// Base of a user exception E without members, which has `_id` and `_label` (its repository id and name).
template <class E>
class MemberlessException : public CORBA::UserException {
 public:
  [[noreturn]] void _raise() const override { throw static_cast<const E&>(*this); }
  const char* _rep_id() const noexcept override { return E::_id; }
  const char* _name() const noexcept override { return E::_label; }
  void _encode(cdr::Encoder& encoder) const override { encoder.put_plain_string(E::_id); }
};

/// Throws the system exception with the repository id; UNKNOWN (minor OMG 2) if it is no standard one.
[[noreturn]] CORBEL_API void raise_system_exception(std::string_view id, std::uint32_t minor,
                                                    CORBA::CompletionStatus completed, std::string detail = {});

}  // namespace corbel::corba
