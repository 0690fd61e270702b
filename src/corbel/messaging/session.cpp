// SPDX-License-Identifier: Apache-2.0
#include "corbel/messaging/session.hpp"

namespace corbel::messaging {

Session::~Session() = default;

base::Status Session::take_begun(base::ConstByteSpan, Incoming& incoming) {
  incoming.kind = Kind::nothing;
  incoming.size = 0;
  return {};
}

void Session::put_reply(cdr::Encoder& encoder, const Origin&, ReplyStatus, std::span<const ServiceContext>,
                        BodyWriter) {
  encoder.reset({});
  encoder.fail(base::Code::unsupported);
}

void Session::put_locate_reply(cdr::Encoder& encoder, const Origin&, LocateStatus, BodyWriter) {
  encoder.reset({});
  encoder.fail(base::Code::unsupported);
}

void Session::put_swapped_reply(cdr::Encoder& encoder, const Origin&, ReplyStatus, std::span<const ServiceContext>,
                                BodyWriter) {
  encoder.reset({});
  encoder.fail(base::Code::unsupported);
}

void Session::put_answer(cdr::Encoder& encoder, const Incoming&) {
  encoder.reset({});
  encoder.fail(base::Code::unsupported);
}

bool Session::put_cancel(cdr::Encoder&, Token) {
  return false;
}

bool Session::put_close(cdr::Encoder&) {
  return false;
}

bool Session::put_error(cdr::Encoder&) {
  return false;
}

bool Session::put_own(cdr::Encoder&) {
  return false;
}

base::Status Session::cut(std::span<const cdr::Segment>, std::size_t, MessageSender) {
  return base::error(base::Stage::encode, base::Code::too_large);
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): sessions that introduce themselves keep it
void Session::introduce(std::uint32_t, base::Bytes) {}

void Session::report(base::FunctionRef<void(const Figure&)>) const {}

}  // namespace corbel::messaging
