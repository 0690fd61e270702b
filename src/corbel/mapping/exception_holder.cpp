// SPDX-License-Identifier: Apache-2.0
#include "corbel/mapping/exception_holder.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "corbel/base/log.hpp"
#include "corbel/corba/failure.hpp"

namespace corbel::mapping {
namespace {

using corba::Completed;

/// Tells the encoder of the message what one of a part of it is told.
class ForMessage final : public cdr::Encoder::Host {
 public:
  explicit ForMessage(cdr::Encoder& message) noexcept : message_(message) {}
  void on_foreign_code(cdr::Encoder&) noexcept override { message_.before_foreign_code(); }
  void on_context(cdr::Context& context) override { message_.note_context(&context); }

 private:
  cdr::Encoder& message_;
};

void put(cdr::Encoder& encoder, const corba::SystemFailure& failure) {
  encoder.put_plain_string(failure.id);
  encoder.put(failure.minor);
  encoder.put(static_cast<std::uint32_t>(failure.completed));
}

/// Writes a reply's body with the exception; true if it is a system exception.
bool put(cdr::Encoder& encoder, const std::exception_ptr& exception) {
  if (const auto failure = corba::failure_of(exception)) {
    put(encoder, *failure);
    return true;
  }
  try {
    std::rethrow_exception(exception);
  } catch (const CORBA::UserException& thrown) {
    thrown._encode(encoder);
    if (encoder.ok()) return false;
    // As a server does that cannot send what its servant threw.
    const base::Error error = encoder.error();
    encoder.reset(encoder.format());
    put(encoder, corba::system_failure("MARSHAL", corba::vendor_minor(error.stage, error.code), Completed::yes));
  } catch (...) {
    put(encoder, corba::system_failure("UNKNOWN", corba::minor::kForeignException, Completed::maybe));
  }
  return true;
}

[[noreturn]] void raise_unreadable(base::Error error) {
  corba::raise("MARSHAL", corba::vendor_minor(error.stage, error.code), Completed::yes,
               "the exception of an asynchronous call cannot be unmarshalled: " + std::string(to_string(error.code)));
}

[[noreturn]] void raise_system(cdr::Decoder& decoder) {
  corba::SystemFailure failure;
  failure.id = decoder.get_plain_string();
  failure.minor = decoder.get<std::uint32_t>();
  const auto completed = decoder.get<std::uint32_t>();
  if (completed > static_cast<std::uint32_t>(Completed::maybe)) decoder.fail(base::Code::malformed);
  if (!decoder.ok()) raise_unreadable(decoder.error());
  failure.completed = static_cast<Completed>(completed);
  corba::raise(std::move(failure));
}

[[noreturn]] void raise_user(cdr::Decoder& decoder, std::span<const corba::ExceptionType> raises) {
  const std::string_view id = decoder.get_plain_string();
  if (decoder.ok()) {
    const auto type = std::find_if(raises.begin(), raises.end(), [&](const auto& one) { return one.id == id; });
    if (type == raises.end()) {
      corba::raise("UNKNOWN", corba::minor::kUnlistedUserException, Completed::yes,
                   "the operation does not declare user exception " + base::printable(id, 200));
    }
    type->decode_and_throw(decoder, *type);
  }
  raise_unreadable(decoder.error());
}

/// Of octets that are a part of the message, with what the message has left of its limits.
cdr::Decoder decoder_within(const cdr::Decoder& message, base::ConstByteSpan octets, bool little_endian) {
  cdr::Format format = message.format();
  format.little_endian = little_endian;
  cdr::Limits limits;
  limits.max_depth = message.max_depth() - message.depth();
  limits.max_expansion = message.max_expansion();
  const std::size_t more = octets.size() * limits.max_expansion;
  const std::size_t left = message.left_of_budget() - std::min(more, message.left_of_budget());
  constexpr std::size_t kMost = std::numeric_limits<std::uint32_t>::max();
  limits.free_memory = static_cast<std::uint32_t>(std::min(left, kMost));
  cdr::Decoder inner(octets, format, limits);
  inner.set_context(message.context());
  inner.withhold();
  return inner;
}

}  // namespace

void Codec<base::SharedPtr<Messaging::ExceptionHolder>>::encode(cdr::Encoder& encoder, const Value& value) {
  corba::encode_value(encoder, value.get(), Messaging::ExceptionHolder::_static_type.id);
}

void Codec<base::SharedPtr<Messaging::ExceptionHolder>>::decode(cdr::Decoder& decoder, Value& value) {
  const auto any = corba::decode_value(decoder, Messaging::ExceptionHolder::_static_type);
  value = base::dynamic_pointer_cast<Messaging::ExceptionHolder>(any);
  if (any != nullptr && value == nullptr) decoder.fail(base::Code::malformed);
}

base::SharedPtr<Messaging::ExceptionHolder> take_exception_holder(corba::ServerCall& call,
                                                                  std::span<const corba::ExceptionType> raises) {
  base::SharedPtr<Messaging::ExceptionHolder> holder;
  try {
    cdr::Decoder& arguments = call.arguments();
    Codec<base::SharedPtr<Messaging::ExceptionHolder>>::decode(arguments, holder);
    if (arguments.ok() && holder == nullptr) arguments.fail(base::Code::malformed);
    if (arguments.ok()) holder->_know(raises, arguments);
  } catch (...) {
    call.refuse_arguments();
  }
  call.check_arguments();
  return holder;
}

}  // namespace corbel::mapping

namespace Messaging {
namespace {

using namespace corbel;

constexpr std::string_view kIds[] = {"IDL:omg.org/Messaging/ExceptionHolder:1.0"};

base::SharedPtr<CORBA::ValueBase> create() {
  return base::make_shared<ExceptionHolder>();
}

}  // namespace

constinit const corba::ValueType ExceptionHolder::_static_type{kIds[0], kIds, false, &create};

const corba::ValueType& ExceptionHolder::_value_type() const noexcept {
  return _static_type;
}

void ExceptionHolder::_encode_state(cdr::Encoder& encoder) const {
  bool is_system = is_system_;
  cdr::Format format = encoder.format();
  base::Bytes made;
  if (octets_.empty()) {
    mapping::ForMessage host(encoder);
    cdr::Encoder body(format);
    body.set_host(&host);
    is_system = mapping::put(body, failure_);
    made = body.to_bytes();
  } else {
    format.little_endian = little_endian_;
  }
  const base::Bytes& octets = octets_.empty() ? made : octets_;
  encoder.put(is_system);
  encoder.put(format.little_endian);
  encoder.put_count(octets.size());
  encoder.copy_octets(octets.data(), octets.size());
}

void ExceptionHolder::_decode_state(cdr::Decoder& decoder) {
  is_system_ = decoder.get<bool>();
  little_endian_ = decoder.get<bool>();
  const base::ConstByteSpan octets = decoder.get_octet_sequence();
  octets_.assign(octets.begin(), octets.end());
  if (decoder.ok()) interpret({}, decoder);
}

void ExceptionHolder::_know(std::span<const corba::ExceptionType> raises, cdr::Decoder& decoder) {
  if (!is_system_ && !raises.empty()) interpret(raises, decoder);
}

/// Throws nothing that has to do with the exception itself: that is what the holder is for.
void ExceptionHolder::interpret(std::span<const corba::ExceptionType> raises, cdr::Decoder& decoder) {
  cdr::Decoder inner = mapping::decoder_within(decoder, octets_, little_endian_);
  try {
    is_system_ ? mapping::raise_system(inner) : mapping::raise_user(inner, raises);
  } catch (const CORBA::Exception&) {
    // A handler that lets it pass does not make the ORB that tells it call again.
    failure_ = corba::end_of_own_call(std::current_exception());
  }
  if (inner.ok()) decoder.settle(inner);
}

}  // namespace Messaging
