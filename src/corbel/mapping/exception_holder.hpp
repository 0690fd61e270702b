// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <span>
#include <string_view>
#include <utility>

#include "corbel/base/bytes.hpp"
#include "corbel/corba/call.hpp"
#include "corbel/corba/exception.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/corba/value.hpp"
#include "corbel/mapping/codec.hpp"

/// What reply handlers are given instead of results (CORBA 3.3 part 1, 22.7).
namespace Messaging {

/// What ExceptionHolder::raise_exception throws, as native type of the OMG's IDL.
using UserExceptionBase = CORBA::UserException;

/// The exception that an asynchronous call ended with. Immutable once it is given out, thread-safe. A handler in
/// another process gets it as the OMG's valuetype: whether it is a system exception, and the octets of a reply with it
/// in the byte order that is said, in the code sets of the message.
class CORBEL_API ExceptionHolder final : public virtual CORBA::ValueBase {
 public:
  explicit ExceptionHolder(std::exception_ptr failure) noexcept : failure_(std::move(failure)) {}
  /// For the ORB: to be decoded.
  ExceptionHolder() noexcept = default;

  /// Throws the exception that the call ended with: a user exception of the operation or a system exception. Of a
  /// holder that came from elsewhere: UNKNOWN minor OMG 1 for a user exception that the operation does not raise,
  /// MARSHAL for what cannot be read, both COMPLETED_YES.
  [[noreturn]] void raise_exception() const { std::rethrow_exception(failure_); }
  /// The same for a CORBA::ExceptionList (corbel/dynamic/request.hpp): a user exception that is not in it is thrown as
  /// UNKNOWN minor OMG 1.
  template <class ExceptionList>
  [[noreturn]] void raise_exception_with_list(const ExceptionList& exc_list) const {
    try {
      raise_exception();
    } catch (const CORBA::UserException& exception) {
      for (const auto& type : exc_list) {
        if (type->id() == exception._rep_id()) throw;
      }
      throw CORBA::UNKNOWN(corbel::corba::minor::kUnlistedUserException, CORBA::CompletionStatus::COMPLETED_YES);
    }
  }
  /// Beyond the mapping: the same without throwing it.
  const std::exception_ptr& exception() const noexcept { return failure_; }

  static const corbel::corba::ValueType _static_type;
  const corbel::corba::ValueType& _value_type() const noexcept override;
  void _encode_state(corbel::cdr::Encoder& encoder) const override;
  void _decode_state(corbel::cdr::Decoder& decoder) override;
  /// For skeletons, before the holder is given out: reads the octets again if they are a user exception, which is one
  /// of `raises`. `decoder` is that of the message.
  void _know(std::span<const corbel::corba::ExceptionType> raises, corbel::cdr::Decoder& decoder);

 private:
  void interpret(std::span<const corbel::corba::ExceptionType> raises, corbel::cdr::Decoder& decoder);

  std::exception_ptr failure_;
  // What came from elsewhere, to be passed on as it is.
  corbel::base::Bytes octets_;
  bool is_system_ = false;
  bool little_endian_ = false;
};

}  // namespace Messaging

template <>
struct IDL::traits<Messaging::ExceptionHolder> {
  using value_type = corbel::base::SharedPtr<Messaging::ExceptionHolder>;
  using ref_type = value_type;
  using in_type = ref_type;
  using out_type = ref_type&;
  using inout_type = ref_type&;
};

namespace corbel::mapping {

template <>
struct CORBEL_API Codec<base::SharedPtr<Messaging::ExceptionHolder>> {
  using Value = base::SharedPtr<Messaging::ExceptionHolder>;
  static constexpr std::size_t kMinSize = 4;
  static void encode(cdr::Encoder& encoder, const Value& value);
  static void decode(cdr::Decoder& decoder, Value& value);
};

/// The argument of a remote call to `op_excep`, never null; `raises` are the exceptions of `op`. Throws what refuses
/// the call if there is no holder.
CORBEL_API base::SharedPtr<Messaging::ExceptionHolder> take_exception_holder(
    corba::ServerCall& call, std::span<const corba::ExceptionType> raises);

}  // namespace corbel::mapping
