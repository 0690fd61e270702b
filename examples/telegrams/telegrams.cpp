// SPDX-License-Identifier: Apache-2.0
#include "telegrams.hpp"

#include <corbel/messaging/header_input.hpp>
#include <corbel/messaging/header_output.hpp>

#include <atomic>
#include <bit>
#include <map>
#include <string>

namespace {

namespace base = corbel::base;
namespace cdr = corbel::cdr;
using namespace corbel::messaging;

constexpr std::size_t kHeaderSize = 8;
constexpr std::uint8_t kKinds = 127;       // that can be in a conversation; 0: none
constexpr std::uint8_t kNew = kKinds + 1;  // added to a kind that is said for the first time
constexpr bool kSwapped = std::endian::native != std::endian::little;

struct Target {
  base::Bytes key;
  std::string operation;
  bool is(base::ConstByteSpan other_key, std::string_view other_operation) const {
    return operation == other_operation && std::equal(key.begin(), key.end(), other_key.begin(), other_key.end());
  }
};

/// Lays out the header, then the size when the body is written.
class Writer : public HeaderOutput {
 public:
  Writer(cdr::Encoder& encoder, std::size_t room) : HeaderOutput(encoder, kHeaderSize + room, kSwapped) {}
  void begin(std::uint8_t kind, std::uint16_t number) {
    put(std::uint8_t{'T'});
    put(kind);
    put(static_cast<std::uint8_t>(number & 0xff));
    put(static_cast<std::uint8_t>(number >> 8));
    put_zero();  // the size
  }
  void finish(BodyWriter body) {
    align<8>();
    commit();
    body(encoder());
    patch_size(4, 0, encoder().position());
  }
};

class Telegrams final : public Session {
 public:
  explicit Telegrams(const SessionSettings& settings) : Session(settings), limits_(settings.limits) {}

  void put_request(cdr::Encoder& encoder, Token, const OutgoingRequest& request, BodyWriter body) override {
    encoder.reset({.little_endian = true});
    if (request.response != Response::none) return encoder.fail(base::Code::unsupported);
    const std::uint64_t number = sent_.fetch_add(1, std::memory_order_relaxed);
    // Without a host another thread is the writer: the telegram goes when it may, if ever, and is none to be like.
    const bool is_writer = encoder.host() != nullptr;
    const bool as_before = is_writer && told_ && last_sent_.is(request.object_key, request.operation);
    const bool is_new = is_writer && !as_before && last_kind_ < kKinds;
    if (is_new) {
      ++last_kind_;
      last_sent_.key.assign(request.object_key.begin(), request.object_key.end());
      last_sent_.operation = request.operation;
    }
    // While the body is written others may come to write and to send: then the peer does not know this kind in time.
    if (is_writer) told_ = as_before;
    Writer header(encoder, 32 + request.object_key.size() + request.operation.size());
    const auto kind = static_cast<std::uint8_t>(as_before || is_new ? last_kind_ + (is_new ? kNew : 0) : 0);
    header.begin(kind, static_cast<std::uint16_t>(number));
    if (!as_before) {
      header.put_octets(request.object_key);
      header.align();
      header.put_string(request.operation);
    }
    header.finish(body);
    if (is_writer && encoder.host() != nullptr) told_ = (as_before || is_new) && encoder.ok();
  }
  void unsent() noexcept override { told_ = false; }

  base::Status take(base::ConstByteSpan octets, Incoming& incoming) override {
    incoming.kind = Kind::nothing;
    incoming.size = incoming.wanted = 0;
    if (octets.size() < kHeaderSize) return {};
    if (octets[0] != 'T' || octets[1] == kNew) return base::error(base::Stage::receive, base::Code::malformed);
    HeaderInput header(octets, 4, kSwapped);
    const std::uint32_t size = header.get();
    if (size < kHeaderSize) return base::error(base::Stage::receive, base::Code::malformed);
    if (size > limits_.max_message_size) return base::error(base::Stage::receive, base::Code::too_large);
    if (octets.size() < size) {
      incoming.wanted = size;
      return {};
    }
    incoming.size = size;
    return read(octets.first(size), incoming);
  }
  void report(base::FunctionRef<void(const Figure&)> visit) const override {
    visit({"sent", sent_.load(std::memory_order_relaxed)});
    visit({"received", received_.load(std::memory_order_relaxed)});
    visit({"named", named_.load(std::memory_order_relaxed)});
  }

 private:
  base::Status read(base::ConstByteSpan telegram, Incoming& incoming) {
    HeaderInput header(telegram, kHeaderSize, kSwapped);
    incoming.request = {};
    if (telegram[1] == 0 || telegram[1] > kNew) {
      incoming.request.object_key = header.get_key(header.get(), limits_);
      incoming.request.operation = header.get_string(limits_.max_operation);
      if (!header.ok()) return base::error(base::Stage::receive, base::Code::malformed);
      named_.fetch_add(1, std::memory_order_relaxed);
    }
    // What is kept stays to the end, because requests that still run refer to it; so there must not be many.
    if (telegram[1] > kNew) {
      const base::ConstByteSpan key = incoming.request.object_key;
      const Target target{{key.begin(), key.end()}, std::string(incoming.request.operation)};
      if (!kept_.emplace(telegram[1] - kNew, target).second)
        return base::error(base::Stage::receive, base::Code::malformed);
    } else if (telegram[1] != 0) {
      const auto found = kept_.find(telegram[1]);
      if (found == kept_.end()) return base::error(base::Stage::receive, base::Code::malformed);  // of which kind?
      incoming.request.object_key = found->second.key;
      incoming.request.operation = found->second.operation;
    }
    received_.fetch_add(1, std::memory_order_relaxed);
    incoming.kind = Kind::request;
    incoming.octets = telegram;
    incoming.joints = {};
    incoming.body_at = std::min((header.position() + 7) & ~std::size_t{7}, telegram.size());
    incoming.body = cdr::Decoder(telegram, {.little_endian = true}, limits_, incoming.body_at);
    return {};
  }

  const cdr::Limits limits_;
  Target last_sent_;
  std::uint8_t last_kind_ = 0;
  bool told_ = false;
  std::atomic<std::uint64_t> sent_{0};
  std::map<int, Target> kept_;
  std::atomic<std::uint64_t> received_{0};
  std::atomic<std::uint64_t> named_{0};
};

class TelegramsProtocol final : public Protocol {
 public:
  std::string_view name() const noexcept override { return "telegrams"; }
  Requirements requirements() const noexcept override { return {}; }  // order and reliability
  Offers offers() const noexcept override { return {.two_way = false}; }
  Version version() const noexcept override { return {1, 2}; }
  std::unique_ptr<Session> open(const SessionSettings& settings) const override {
    return std::make_unique<Telegrams>(settings);
  }
};

}  // namespace

std::shared_ptr<const corbel::messaging::Protocol> make_telegrams() {
  return std::make_shared<TelegramsProtocol>();
}
