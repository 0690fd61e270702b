// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "corbel/corba/dii_requests.hpp"
#include "corbel/corba/pollable_call.hpp"
#include "corbel/dynamic/arguments.hpp"
#include "corbel/dynamic/run_time_values.hpp"

namespace corbel::dynamic {

/// What a deferred request sends and gets.
struct DeferredParts {
  std::string name;
  std::vector<corba::ExceptionType> raises;
  CORBA::ExceptionList exceptions;  // what `raises` points into
  CORBA::NVList arguments;
  CORBA::NamedValue result;
};

/// The parts at addresses that stay, for the base that follows.
struct DeferredStorage {
  explicit DeferredStorage(DeferredParts given)
      : parts(std::move(given)), operation{parts.name, false, parts.raises, false, corba::kUnknownStub, &values} {}
  DeferredParts parts;
  const corba::RunTimeValues values{&parts.arguments, &parts.result, &parts.exceptions};
  const corba::Operation operation;
};

/// A request under way, with copies of all it needs: the object that sent it may be gone when the reply comes.
class DeferredCall final : private DeferredStorage, public corba::PollableCall {
 public:
  DeferredCall(DeferredParts given, base::SharedPtr<corba::DiiRequests> all)
      : DeferredStorage(std::move(given)), PollableCall(DeferredStorage::operation), all_(std::move(all)) {}

  /// Those of its ORB.
  corba::DiiRequests& all() const noexcept { return *all_; }

  /// For who has taken the reply: throws if the call failed.
  const DeferredParts& outcome() {
    rethrow_failure();
    return parts;
  }

  void complete(std::exception_ptr failure) noexcept override {
    PollableCall::complete(std::move(failure));
    all_->over(*this);
  }
  bool complete_quietly() noexcept override { return false; }

  void encode_arguments(cdr::Encoder& encoder) override {
    encode_values(encoder, parts.result, parts.arguments, CORBA::ARG_IN);
  }
  void decode_results(cdr::Decoder& decoder) override {
    decode_values(decoder, parts.result, parts.arguments, CORBA::ARG_OUT);
  }
  void* const* local_arguments() noexcept override { return nullptr; }

 private:
  const base::SharedPtr<corba::DiiRequests> all_;
};

}  // namespace corbel::dynamic
