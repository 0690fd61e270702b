// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "corbel/base/export.hpp"
#include "corbel/base/shared_ptr.hpp"
#include "corbel/cdr/encoder.hpp"

/// Exceptions as the core catches them, whichever mapping's they are: bases of the exceptions of mappings, which are
/// thrown and caught as these. Values; not thread-safe while being modified.
namespace corbel::corba {

/// Whether the operation was carried out when a system exception was raised, as the wire has it (CORBA 3.3 part 1,
/// 7.7.3). The values are those of CORBA::CompletionStatus.
enum class Completed : std::uint32_t { yes, no, maybe };

/// A system exception.
class CORBEL_API SystemExceptionCore {
 public:
  /// "IDL:omg.org/CORBA/TRANSIENT:1.0".
  virtual const char* _rep_id() const noexcept = 0;
  /// For people: the name, minor code, completion and detail.
  virtual const char* what() const noexcept = 0;

  std::uint32_t minor() const noexcept { return minor_; }
  void minor(std::uint32_t minor) noexcept { minor_ = minor; }
  Completed _completed() const noexcept { return completed_; }
  /// The code that says this answers for it: ended_own_call() is false then.
  void _completed(Completed completed) noexcept {
    completed_ = completed;
    ended_own_call_ = false;
  }
  /// Beyond the mapping: which endpoint, which phase, how long, and why, for people. Empty if nothing is known.
  const std::string& detail() const noexcept;
  void detail(std::string text);
  /// Beyond the mapping: true once this has ended a call that this process made; completed() tells of that call. If a
  /// servant lets it pass, the servant's own caller is told COMPLETED_MAYBE instead of COMPLETED_NO, and does not
  /// repeat the call: what the servant did before has been done. Any thread.
  bool ended_own_call() const noexcept;
  /// For targets of references.
  void ends_own_call() noexcept;

 protected:
  SystemExceptionCore() = default;
  SystemExceptionCore(std::uint32_t minor, Completed completed, std::string text);
  SystemExceptionCore(const SystemExceptionCore&) = default;
  SystemExceptionCore& operator=(const SystemExceptionCore&) = default;
  ~SystemExceptionCore() = default;

 private:
  std::uint32_t minor_ = 0;
  Completed completed_ = Completed::no;
  bool ended_own_call_ = false;  // several threads may throw one exception that they share
  base::SharedPtr<const std::string> detail_;
};

/// A user exception.
class CORBEL_API UserExceptionCore {
 public:
  virtual const char* _rep_id() const noexcept = 0;
  /// Writes the repository id and the members (CORBA 3.3 part 2, 9.3.5.5).
  virtual void _encode(cdr::Encoder& encoder) const = 0;

 protected:
  UserExceptionCore() = default;
  UserExceptionCore(const UserExceptionCore&) = default;
  UserExceptionCore& operator=(const UserExceptionCore&) = default;
  ~UserExceptionCore() = default;
};

/// In a handler: throws on what is handled; a system exception says that the call has come so far.
[[noreturn]] CORBEL_API void rethrow_with(Completed completed);

/// Throws what has ended a call that this process made, which says so of itself (ended_own_call()). A copy, because the
/// exception may be one that a servant keeps; without memory for its text NO_MEMORY.
[[noreturn]] CORBEL_API void raise_end_of_own_call(const SystemExceptionCore& exception);

/// Throws NO_MEMORY, for which no memory is needed beyond what C++ keeps for exceptions. `own`: it ends a call that
/// this process made.
[[noreturn]] CORBEL_API void raise_no_memory(std::uint32_t minor, Completed completed, bool own = false);

}  // namespace corbel::corba
