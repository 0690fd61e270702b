// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <optional>

#include "corbel/messaging/giop/codec.hpp"
#include "golden.hpp"

namespace corbel::golden {
namespace {

using messaging::FrameHeader;
using messaging::MessageType;

const auto kGiop = std::make_unique<const messaging::giop::Giop>(messaging::Version{1, 2});

struct Message {
  const Record& record;  ///< of the first fragment
  FrameHeader frame;
  base::Bytes octets;  ///< fragments joined
};

/// Ranges of octets that may hold anything: alignment gaps and reserved octets.
using Gaps = std::vector<std::pair<std::size_t, std::size_t>>;

std::size_t offset_of(const Message& message, const void* part) {
  return static_cast<std::size_t>(static_cast<const std::uint8_t*>(part) - message.octets.data());
}

constexpr std::size_t aligned(std::size_t offset) {
  return offset + 3 - (offset + 3) % 4;
}

std::size_t end_of(const Message& message, const messaging::ServiceContext& context) {
  return offset_of(message, context.data.data()) + context.data.size();
}

/// The gaps between service contexts; the octets after the last one belong to what follows.
Gaps context_gaps(const Message& message, const messaging::ServiceContextView& contexts) {
  Gaps gaps;
  contexts.for_each([&](const messaging::ServiceContext& context) {
    const std::size_t end = end_of(message, context);
    gaps.emplace_back(end, aligned(end));
  });
  return gaps;
}

/// What was encoded again must be the message, with zeros in the gaps.
void compare_encoding(const Message& message, cdr::Encoder& encoder, const Gaps& gaps) {
  const Record& record = message.record;
  if (!encoder.ok()) return fail(record, "does not encode again");
  base::Bytes expected = message.octets;
  for (const auto& [begin, end] : gaps) {
    for (std::size_t i = begin; i < end && i < expected.size(); ++i) expected[i] = 0;
    // A gap at the very end is stray octets after a message without body.
    if (end == expected.size()) expected.resize(begin);
  }
  const base::Bytes found = encoder.to_bytes();
  if (message.frame.more_fragments || expected.size() != message.octets.size()) {
    std::copy_n(found.begin() + 8, 4, expected.begin() + 8);
    expected[6] = static_cast<base::Octet>(expected[6] & 1);
  }
  expect_equal(record, "encoded again", base::to_hex(found), base::to_hex(expected));
}

void compare_contexts(const Record& record, const messaging::ServiceContextView& contexts) {
  const Json& expected = record.decoded.at("service_contexts");
  expect_equal(record, "service contexts", contexts.count(), expected.size());
  std::size_t index = 0;
  contexts.for_each([&](const messaging::ServiceContext& context) {
    if (index < expected.size()) {
      expect_equal(record, "context id", context.id, expected[index].at("id").get<std::uint32_t>());
      expect_equal(record, "context data", base::to_hex(context.data),
                   expected[index].at("data_hex").get<std::string>());
    }
    ++index;
  });
}

std::vector<messaging::ServiceContext> list(const messaging::ServiceContextView& contexts) {
  std::vector<messaging::ServiceContext> all;
  contexts.for_each([&](const messaging::ServiceContext& context) { all.push_back(context); });
  return all;
}

/// The target as the record shows it: the key itself, or inside the profile that names it.
Json target_key(const Json& decoded) {
  if (!decoded.contains("target")) return decoded.at("object_key");
  const Json& target = decoded.at("target");
  if (target.contains("object_key")) return target.at("object_key");
  if (target.contains("profile")) return target.at("profile").at("object_key");
  return target.at("ior").at("profiles").at(target.at("selected_profile_index").get<std::size_t>()).at("object_key");
}

bool is_key_address(const Json& decoded) {
  return !decoded.contains("target") || decoded.at("target").contains("object_key");
}

/// The number in "NAME(number)".
std::uint32_t number_in(const Json& text) {
  const auto string = text.get<std::string>();
  return static_cast<std::uint32_t>(std::stoul(string.substr(string.find('(') + 1)));
}

std::size_t check_body(const Message& message, const cdr::Decoder& body) {
  const auto expected = message.record.decoded.at("body_offset").get<std::size_t>();
  // Where nothing follows, the record has the offset at which a body would have begun.
  if (body.remaining() != 0 || expected < message.octets.size()) {
    expect_equal(message.record, "body offset", body.position(), expected);
  }
  return body.position();
}

cdr::Format format_of(const FrameHeader& frame) {
  return {.little_endian = frame.little_endian, .giop_minor = frame.version.minor};
}

auto body_copier(const Message& message, std::size_t from) {
  return [&message, from](cdr::Encoder& encoder) {
    encoder.copy_octets(message.octets.data() + from, message.octets.size() - from);
  };
}

void check_request(const Message& message) {
  const Record& record = message.record;
  const Json& decoded = record.decoded;
  cdr::Decoder body;
  const auto request = kGiop->decode_request(message.frame, message.octets, {}, body);
  if (!request) return fail(record, "request header refused: " + to_string(request.error()));
  expect_equal(record, "request id", request->origin.id, decoded.at("request_id").get<std::uint32_t>());
  expect_equal(record, "key", printed(request->object_key), target_key(decoded).get<std::string>());
  expect_equal(record, "operation", std::string(request->operation), decoded.at("operation").get<std::string>());
  const auto flags = decoded.value("response_flags", decoded.value("response_expected", 0) != 0 ? 3 : 0);
  expect_equal(record, "response", static_cast<int>(request->response), flags);
  compare_contexts(record, request->contexts);
  const std::size_t begin = check_body(message, body);
  if (!is_key_address(decoded)) return;  // we never send the other kinds

  const bool is_12 = message.frame.version.minor == 2;
  const std::size_t key_begin = offset_of(message, request->object_key.data());
  const std::size_t name_begin = offset_of(message, request->operation.data());
  const std::size_t name_end = name_begin + request->operation.size() + 1;
  const std::size_t response = key_begin - (is_12 ? 12 : 8);
  const auto contexts = list(request->contexts);
  Gaps gaps = context_gaps(message, request->contexts);
  gaps.emplace_back(response + 1, response + 4);
  if (is_12) gaps.emplace_back(key_begin - 6, key_begin - 4);  // after the disposition
  gaps.emplace_back(key_begin + request->object_key.size(), name_begin - 4);
  gaps.emplace_back(name_end, aligned(name_end));
  if (is_12) gaps.emplace_back(contexts.empty() ? aligned(name_end) + 4 : end_of(message, contexts.back()), begin);
  cdr::Encoder encoder(format_of(message.frame));
  kGiop->encode_request(encoder, request->origin.id,
                        {request->response, request->object_key, request->operation, contexts},
                        body_copier(message, begin));
  compare_encoding(message, encoder, gaps);
}

void check_reply(const Message& message) {
  const Record& record = message.record;
  cdr::Decoder body;
  const auto reply = kGiop->decode_reply(message.frame, message.octets, {}, body);
  if (!reply) return fail(record, "reply header refused: " + to_string(reply.error()));
  expect_equal(record, "request id", reply->token, record.decoded.at("request_id").get<std::uint32_t>());
  expect_equal(record, "status", static_cast<std::uint32_t>(reply->status),
               number_in(record.decoded.at("reply_status")));
  compare_contexts(record, reply->contexts);
  const std::size_t begin = check_body(message, body);
  Gaps gaps = context_gaps(message, reply->contexts);
  const auto contexts = list(reply->contexts);
  if (message.frame.version.minor == 2) {
    gaps.emplace_back(contexts.empty() ? 24 : end_of(message, contexts.back()), begin);
  }
  cdr::Encoder encoder(format_of(message.frame));
  kGiop->encode_reply(encoder, reply->token, reply->status, contexts, body_copier(message, begin));
  compare_encoding(message, encoder, gaps);
}

void check_locate_request(const Message& message) {
  const Record& record = message.record;
  const auto request = kGiop->decode_locate_request(message.frame, message.octets, {});
  if (!request) return fail(record, "locate request refused: " + to_string(request.error()));
  expect_equal(record, "request id", request->origin.id, record.decoded.at("request_id").get<std::uint32_t>());
  expect_equal(record, "key", printed(request->object_key), target_key(record.decoded).get<std::string>());
  Gaps gaps;
  if (message.frame.version.minor == 2) gaps.emplace_back(18, 20);
  cdr::Encoder encoder(format_of(message.frame));
  kGiop->encode_locate_request(encoder, request->origin.id, request->object_key);
  compare_encoding(message, encoder, gaps);
}

void check_locate_reply(const Message& message) {
  const Record& record = message.record;
  cdr::Decoder body;
  const auto reply = kGiop->decode_locate_reply(message.frame, message.octets, {}, body);
  if (!reply) return fail(record, "locate reply refused: " + to_string(reply.error()));
  expect_equal(record, "request id", reply->token, record.decoded.at("request_id").get<std::uint32_t>());
  expect_equal(record, "status", static_cast<std::uint32_t>(reply->status),
               number_in(record.decoded.at("locate_status")));
  cdr::Encoder encoder(format_of(message.frame));
  kGiop->encode_locate_reply(encoder, reply->token, reply->status, body_copier(message, check_body(message, body)));
  compare_encoding(message, encoder, {});
}

void check_without_body(const Message& message) {
  cdr::Encoder encoder(format_of(message.frame));
  if (message.frame.type == MessageType::cancel_request) {
    const auto id = kGiop->decode_cancel_request(message.frame, message.octets);
    if (!id) return fail(message.record, "cancel request refused");
    expect_equal(message.record, "request id", *id, message.record.decoded.at("request_id").get<std::uint32_t>());
    kGiop->encode_cancel_request(encoder, *id);
  } else {
    kGiop->encode_control(encoder, message.frame.type);
  }
  compare_encoding(message, encoder, {});
}

void check_whole(const Message& message) {
  switch (message.frame.type) {
    case MessageType::request:
      return check_request(message);
    case MessageType::reply:
      return check_reply(message);
    case MessageType::locate_request:
      return check_locate_request(message);
    case MessageType::locate_reply:
      return check_locate_reply(message);
    default:
      return check_without_body(message);
  }
}

/// The frame header, checked; nothing if the record is not for us, with the reason in `tally`.
std::optional<FrameHeader> check_frame(const Record& record, Tally& tally) {
  if (record.octets.empty()) {
    ++tally.skipped["no octets were answered"];
    return {};
  }
  const Json& decoded = record.decoded;
  const auto frame = kGiop->decode_frame(record.octets, {});
  const bool refusable = decoded.at("magic") != "GIOP" || decoded.at("giop_version") > "1.2" ||
                         decoded.at("type").is_number() ||
                         decoded.at("size").get<std::uint64_t>() + 12 > cdr::Limits().max_message_size;
  if (refusable) {
    if (frame) fail(record, "should have been refused");
    ++(decoded.at("magic") == "ZIOP" ? tally.skipped["compressed: refused as it should be"] : tally.checked);
    return {};
  }
  if (!frame) {
    fail(record, "frame refused: " + to_string(frame.error()));
    return {};
  }
  expect_equal(record, "size", frame->message_size, decoded.at("size").get<std::uint32_t>() + 12);
  expect_equal(record, "whole message", frame->message_size, record.octets.size());
  expect_equal(record, "byte order", frame->little_endian, decoded.at("endian") == "little");
  expect_equal(record, "more fragments", frame->more_fragments, decoded.at("more_fragments").get<bool>());
  const auto version = std::to_string(frame->version.major) + '.' + std::to_string(frame->version.minor);
  expect_equal(record, "version", version, decoded.at("giop_version").get<std::string>());
  return *frame;
}

void join(Message& message, const Record& record, const FrameHeader& frame) {
  const auto fragment = kGiop->decode_fragment(frame, record.octets);
  if (!fragment) return fail(record, "fragment refused");
  if (fragment->has_request_id) {
    const auto id = kGiop->peek_request_id(message.frame, message.octets);
    if (!id || *id != fragment->request_id) fail(record, "continues another message");
  }
  message.octets.insert(message.octets.end(),
                        record.octets.begin() + static_cast<std::ptrdiff_t>(fragment->data_offset),
                        record.octets.end());
}

}  // namespace

void check_messages(const std::vector<Record>& records, Tally& tally) {
  std::optional<Message> open;
  for (const Record& record : records) {
    const auto frame = check_frame(record, tally);
    if (!frame) continue;
    ++tally.checked;
    if (frame->type == MessageType::fragment) {
      if (!open) {
        fail(record, "continues nothing");
        continue;
      }
      join(*open, record, *frame);
      ++tally.fragments_joined;
      if (frame->more_fragments) continue;
      check_whole(*open);
      open.reset();
    } else if (frame->more_fragments) {
      open.emplace(Message{record, *frame, record.octets});
    } else {
      check_whole(Message{record, *frame, record.octets});
    }
  }
  if (open) fail(open->record, "never ends");
}

}  // namespace corbel::golden
