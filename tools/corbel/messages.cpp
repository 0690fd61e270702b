// SPDX-License-Identifier: Apache-2.0
#include "messages.hpp"

#include <algorithm>

#include "compressed.hpp"
#include "giop_octets.hpp"

namespace corbel::tool {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostAsked = 4096;   // requests of a connection whose replies are waited for
constexpr std::size_t kBegin = 64U << 10;  // of a message that is too large: its header is in there
constexpr std::uint8_t kLocateReply = 4;

cdr::Limits limits() {
  cdr::Limits limits;
  limits.max_message_size = 16U << 20;  // of each way of each connection
  return limits;
}

std::string too_large(std::size_t size) {
  return "too large to be looked at: " + std::to_string(size) + " octets, more than " +
         std::to_string(limits().max_message_size);
}

}  // namespace

Listener::Listener(Interpreter& interpreter, See see, bool bodies)
    : interpreter_(interpreter), see_(std::move(see)), bodies_(bodies) {
  for (auto& direction : directions_) {
    messaging::SessionSettings settings;
    settings.side = messaging::Side::acceptor;  // each way may carry requests, and neither session writes
    settings.limits = limits();
    settings.code_sets.for_wchar = cdr::CodeSet::utf_16;
    direction.session = giop_->open(settings);
  }
}

void Listener::octets(Way way, base::ConstByteSpan octets, Clock::time_point when) {
  const std::lock_guard lock(mutex_);
  Direction& direction = directions_[index(way)];
  if (direction.lost) return;
  if (direction.resync) {
    const std::size_t at = std::min(base::as_text(octets).find("GIOP"), base::as_text(octets).find("ZIOP"));
    if (at == std::string_view::npos) return;
    octets = octets.subspan(at);
    direction.resync = false;
  }
  if (direction.skip > 0) {
    const std::size_t skipped = std::min(direction.skip, octets.size());
    direction.skip -= skipped;
    octets = octets.subspan(skipped);
  }
  direction.waiting.insert(direction.waiting.end(), octets.begin(), octets.end());
  take_all(way, when);
}

void Listener::gap(Way way) {
  const std::lock_guard lock(mutex_);
  Direction& direction = directions_[index(way)];
  direction.waiting.clear();
  direction.skip = 0;
  direction.session->forget_parts();
  direction.lost = false;
  direction.resync = true;
}

void Listener::take_all(Way way, Clock::time_point when) {
  Direction& direction = directions_[index(way)];
  std::size_t taken = 0;
  while (!direction.lost && taken < direction.waiting.size()) {
    const auto rest = base::ConstByteSpan(direction.waiting).subspan(taken);
    if (!is_giop(rest) && !is_ziop(rest)) {
      direction.lost = true;
      see_({.way = way,
            .kind = "unreadable",
            .problem = "this is not GIOP (TLS, perhaps, or another protocol); nothing more is read of this way"});
      break;
    }
    if (rest.size() < kGiopHeader) break;
    const std::uint64_t size = giop_size(rest);
    if (size > limits().max_message_size) {
      if (rest.size() < kBegin) break;
      look_at_begin(way, rest.first(kBegin), static_cast<std::size_t>(size), when);
      direction.skip = size > rest.size() ? static_cast<std::size_t>(size) - rest.size() : 0;
      taken += std::min<std::size_t>(static_cast<std::size_t>(size), rest.size());
      continue;
    }
    if (rest.size() < size) break;
    const auto message = rest.first(static_cast<std::size_t>(size));
    taken += message.size();
    is_ziop(message) ? take_compressed(way, message, when) : take(way, message, when);
  }
  if (direction.lost) taken = direction.waiting.size();
  direction.waiting.erase(direction.waiting.begin(), direction.waiting.begin() + static_cast<std::ptrdiff_t>(taken));
}

/// One message that is whole and not compressed.
void Listener::take(Way way, base::ConstByteSpan message, Clock::time_point when) {
  Direction& direction = directions_[index(way)];
  messaging::Incoming incoming;
  incoming.joined = &direction.joined;
  if (message[7] == kLocateReply && (message[6] & 2) == 0) {  // no session of ours asks for these
    Seen seen{.way = way, .kind = "locate reply", .minor = message[5]};
    look_at_locate_reply(way, message, seen, when);
    see_(std::move(seen));
  } else if (const auto status = direction.session->take(message, incoming); !status) {
    // A message that cannot be read does not hide those after it: its size is known.
    see_({.way = way, .kind = "unreadable", .octets = message.size(), .problem = base::to_string(status.error())});
  } else {
    look(way, incoming, when);
  }
}

void Listener::take_compressed(Way way, base::ConstByteSpan message, Clock::time_point when) {
  Opened opened = open_compressed(message, limits().max_message_size);
  if (opened.message.empty()) {
    see_({.way = way,
          .kind = "compressed",
          .octets = message.size(),
          .compressor = std::move(opened.compressor),
          .on_wire = message.size(),
          .problem = std::move(opened.problem)});
    return;
  }
  packing_.compressor = std::move(opened.compressor);
  packing_.on_wire = message.size();
  take(way, opened.message, when);
  packing_ = {};
}

/// Who asks whom for what, or which request is answered, is said by the begin; the values are not.
void Listener::look_at_begin(Way way, base::ConstByteSpan begin, std::size_t size, Clock::time_point when) {
  constexpr std::uint8_t kReply = 1;
  Direction& direction = directions_[index(way)];
  // As a message of its own, which no fragments follow.
  base::Bytes message(begin.begin(), begin.end());
  const bool little = (message[6] & 1) != 0;
  message[6] &= 1;
  const std::size_t body = message.size() - kGiopHeader;
  for (std::size_t i = 0; i < 4; ++i) message[8 + i] = static_cast<base::Octet>(body >> 8 * (little ? i : 3 - i));
  messaging::Incoming incoming;
  incoming.joined = &direction.joined;
  if (is_giop(message) && message[7] <= kReply && direction.session->take(message, incoming))
    return look(way, incoming, when, size);
  see_({.way = way, .kind = "unreadable", .octets = size, .problem = too_large(size)});
}

void Listener::look(Way way, const messaging::Incoming& incoming, Clock::time_point when, std::size_t whole) {
  using messaging::Kind;
  Seen seen{.way = way};
  const base::ConstByteSpan message = incoming.octets;
  seen.minor = message[5];
  seen.octets = message.size();
  seen.compressor = packing_.compressor;
  seen.on_wire = packing_.on_wire;
  switch (incoming.kind) {
    case Kind::request:
      look_at_request(way, incoming, seen, when);
      break;
    case Kind::reply:
      look_at_reply(way, incoming, seen, when);
      break;
    case Kind::locate_request:
      seen.kind = "locate request";
      seen.id = incoming.locate.origin.id;
      seen.key.assign(incoming.locate.object_key.begin(), incoming.locate.object_key.end());
      ask(directions_[index(way)], seen.id, {.key = seen.key, .locate = true, .when = when});
      break;
    case Kind::cancel:
      seen.kind = "cancel";
      if (message.size() >= kGiopHeader + 4) seen.id = giop_number(message, kGiopHeader);
      break;
    case Kind::close:
      seen.kind = "close";
      break;
    case Kind::error:
      seen.kind = "error";
      break;
    case Kind::answer:
      seen.kind = "request";
      seen.problem = "its target comes as a profile, or its code sets are not known";
      break;
    case Kind::nothing:
      seen.kind = "fragment";
      break;
  }
  if (whole > 0) {
    seen.octets = whole;
    seen.values = nullptr;
    seen.body.clear();
    seen.problem = too_large(whole);
  }
  see_(std::move(seen));
}

/// Peers may leave any number of questions without an answer.
void Listener::ask(Direction& direction, std::uint32_t id, Asked question) {
  if (direction.asked.size() >= kMostAsked) direction.asked.erase(direction.asked.begin());
  direction.asked[id] = std::move(question);
}

void Listener::look_at_request(Way way, const messaging::Incoming& incoming, Seen& seen, Clock::time_point when) {
  Direction& direction = directions_[index(way)];
  const auto& request = incoming.request;
  seen.kind = "request";
  seen.id = request.origin.id;
  seen.oneway = request.response == messaging::Response::none;
  seen.operation = request.operation;
  seen.key.assign(request.object_key.begin(), request.object_key.end());
  const auto body = incoming.octets.subspan(std::min(incoming.body_at, incoming.octets.size()));
  if (bodies_) seen.body.assign(body.begin(), body.end());
  const cdr::Format& format = incoming.body.format();
  direction.code_sets = {format.char_set, format.wchar_set};
  const auto meaning = interpreter_.request(incoming.body, seen);
  if (seen.oneway) return;
  ask(direction, seen.id, {seen.operation, meaning, seen.interface, seen.key, false, when});
}

void Listener::look_at_reply(Way way, const messaging::Incoming& incoming, Seen& seen, Clock::time_point when) {
  Direction& asking = directions_[1 - index(way)];
  seen.kind = "reply";
  seen.id = incoming.reply.token;
  const auto body = incoming.octets.subspan(std::min(incoming.body_at, incoming.octets.size()));
  if (bodies_) seen.body.assign(body.begin(), body.end());
  Interpreter::Meaning meaning;
  if (const auto asked = asking.asked.find(seen.id); asked != asking.asked.end()) {
    seen.operation = asked->second.operation;
    seen.interface = asked->second.interface;
    seen.key = asked->second.key;
    seen.milliseconds = std::chrono::duration<double, std::milli>(when - asked->second.when).count();
    meaning = asked->second.meaning;
    asking.asked.erase(asked);
  } else {
    seen.problem = "its request was not seen";
  }
  cdr::Decoder decoder = incoming.body;
  decoder.set_code_sets(asking.code_sets.first, asking.code_sets.second);
  interpreter_.reply(meaning, incoming.reply.status, decoder, seen);
}

void Listener::look_at_locate_reply(Way way, base::ConstByteSpan message, Seen& seen, Clock::time_point when) {
  constexpr const char* kStatus[] = {
      "unknown", "here", "forward", "forward", "system exception", "needs addressing mode"};
  Direction& asking = directions_[1 - index(way)];
  seen.octets = message.size();
  if (message.size() < kGiopHeader + 8) {
    seen.problem = "it is cut off";
    return;
  }
  seen.id = giop_number(message, kGiopHeader);
  const std::uint32_t status = giop_number(message, kGiopHeader + 4);
  seen.status = status < std::size(kStatus) ? kStatus[status] : "status " + std::to_string(status);
  if (const auto asked = asking.asked.find(seen.id); asked != asking.asked.end() && asked->second.locate) {
    seen.key = asked->second.key;
    seen.milliseconds = std::chrono::duration<double, std::milli>(when - asked->second.when).count();
    asking.asked.erase(asked);
  }
}

}  // namespace corbel::tool
