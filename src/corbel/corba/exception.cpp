// SPDX-License-Identifier: Apache-2.0
#include "corbel/corba/exception.hpp"

#include <atomic>
#include <cstdio>
#include <mutex>
#include <new>
#include <ostream>
#include <string_view>

#include "corbel/base/fork.hpp"
#include "corbel/base/log.hpp"
#include "corbel/corba/failure.hpp"
#include "corbel/corba/minor_codes.hpp"

namespace CORBA {
namespace {

std::string_view name_of(CompletionStatus completed) {
  switch (completed) {
    case CompletionStatus::COMPLETED_YES:
      return "COMPLETED_YES";
    case CompletionStatus::COMPLETED_NO:
      return "COMPLETED_NO";
    case CompletionStatus::COMPLETED_MAYBE:
      return "COMPLETED_MAYBE";
  }
  return "completion unknown";
}

}  // namespace

Exception::~Exception() = default;

const char* Exception::what() const noexcept {
  try {
    std::string text;
    _info(text);
    // A caller that has asked before keeps a pointer into the text: it changes only with what it says.
    // Free in the child of a fork; never destroyed, because exceptions may outlive static objects.
    static auto& asking = *new corbel::base::ForkMutex;
    const std::lock_guard lock(asking);
    if (text_ == nullptr || *text_ != text) {
      text_ = corbel::base::make_shared<const std::string>(std::move(text));
    }
    return text_->c_str();
  } catch (...) {
    return _name();
  }
}

void Exception::_info(std::string& text) const {
  text += _name();
}

std::ostream& operator<<(std::ostream& stream, const Exception& exception) {
  return stream << exception.what();
}

SystemException::SystemException(std::uint32_t minor, CompletionStatus completed, std::string text)
    // NOLINTNEXTLINE(bugprone-throw-keyword-missing): a base
    : SystemExceptionCore(minor, static_cast<corbel::corba::Completed>(completed), std::move(text)) {}

void SystemException::_info(std::string& text) const {
  char number[16];
  std::snprintf(number, sizeof number, "0x%08x", minor());
  text.append(_name()).append(" (minor ").append(number);
  const std::string meaning = corbel::corba::minor_name(_name(), minor());
  if (!meaning.empty()) text.append(" \"").append(meaning).append("\"");
  text.append(", ").append(name_of(completed())).append(")");
  if (!detail().empty()) text.append(": ").append(detail());
}

#define CORBEL_DEFINE_SYSTEM_EXCEPTION(NAME)   \
  void NAME::_raise() const {                  \
    throw *this;                               \
  }                                            \
  const char* NAME::_rep_id() const noexcept { \
    return "IDL:omg.org/CORBA/" #NAME ":1.0";  \
  }                                            \
  const char* NAME::_name() const noexcept {   \
    return #NAME;                              \
  }
CORBEL_SYSTEM_EXCEPTIONS(CORBEL_DEFINE_SYSTEM_EXCEPTION)
#undef CORBEL_DEFINE_SYSTEM_EXCEPTION

}  // namespace CORBA

namespace corbel::corba {
namespace {

struct Raiser {
  std::string_view id;
  void (*raise)(std::uint32_t minor, CORBA::CompletionStatus completed, const std::string& detail);
};

template <class E>
void raise_as(std::uint32_t minor, CORBA::CompletionStatus completed, const std::string& detail) {
  throw E(minor, completed, detail);
}

/// A user exception that is known by its id and octets alone.
class ForeignUserException final : public CORBA::UserException {
 public:
  explicit ForeignUserException(UserFailure failure)
      : failure_(base::make_shared<const UserFailure>(std::move(failure))) {}

  [[noreturn]] void _raise() const override { throw *this; }
  const char* _rep_id() const noexcept override { return failure_->id.c_str(); }
  const char* _name() const noexcept override { return failure_->id.c_str(); }
  void _encode(cdr::Encoder& encoder) const override {
    encoder.put_plain_string(failure_->id);
    if (failure_->members) failure_->members(encoder);
  }

 private:
  const base::SharedPtr<const UserFailure> failure_;  // copies do not throw
};

#define CORBEL_RAISER(NAME) {"IDL:omg.org/CORBA/" #NAME ":1.0", &raise_as<CORBA::NAME>},
constexpr Raiser kRaisers[] = {CORBEL_SYSTEM_EXCEPTIONS(CORBEL_RAISER)};
#undef CORBEL_RAISER

}  // namespace

void raise_system_exception(std::string_view id, std::uint32_t minor, CORBA::CompletionStatus completed,
                            std::string detail) {
  for (const Raiser& raiser : kRaisers) {
    if (raiser.id == id) raiser.raise(minor, completed, detail);
  }
  if (!detail.empty()) detail += ": ";
  throw CORBA::UNKNOWN(minor::kNonStandardSystemException, completed,
                       detail.append("the peer raised ").append(base::printable(id, 200)));
}

void raise_end_of_own_call(const SystemExceptionCore& exception) {
  try {
    raise(failure_of(exception));
  } catch (SystemExceptionCore& copy) {
    copy.ends_own_call();
    throw;
  } catch (const std::bad_alloc&) {  // there is none for its text
    raise_no_memory(exception.minor(), exception._completed(), true);
  }
}

void rethrow_with(Completed completed) {
  try {
    throw;
  } catch (SystemExceptionCore& exception) {
    exception._completed(completed);
    throw;
  } catch (SystemFailure& failure) {
    failure.completed = completed;
    throw;
  }
}

std::exception_ptr exception_of(std::string_view name, std::uint32_t minor, Completed completed,
                                std::string detail) noexcept {
  try {
    raise(name, minor, completed, std::move(detail));
  } catch (const std::bad_alloc&) {
    return std::make_exception_ptr(CORBA::NO_MEMORY(minor, static_cast<CORBA::CompletionStatus>(completed)));
  } catch (...) {
    return std::current_exception();
  }
}

void raise_no_memory(std::uint32_t minor, Completed completed, bool own) {
  CORBA::NO_MEMORY exception(minor, static_cast<CORBA::CompletionStatus>(completed));
  if (own) exception.ends_own_call();
  throw exception;
}

std::exception_ptr end_of_own_call(std::exception_ptr exception) noexcept {
  try {
    std::rethrow_exception(exception);
  } catch (const SystemExceptionCore& ended) {
    if (ended.ended_own_call()) return exception;
    try {
      raise_end_of_own_call(ended);
    } catch (...) {
      return std::current_exception();
    }
  } catch (...) {  // says nothing about completion
    return exception;
  }
}

std::optional<SystemFailure> failure_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const SystemExceptionCore& exception) {
    return failure_of(exception);
  } catch (const SystemFailure& failure) {
    return failure;
  } catch (...) {
    return std::nullopt;
  }
}

void raise(UserFailure failure) {
  throw ForeignUserException(std::move(failure));
}

void raise(SystemFailure failure) {
  raise_system_exception(failure.id, failure.minor, static_cast<CORBA::CompletionStatus>(failure.completed),
                         std::move(failure.detail));
}

}  // namespace corbel::corba
