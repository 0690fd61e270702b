// SPDX-License-Identifier: Apache-2.0
#include "masked.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <utility>

#include "corbel/transport/endpoint_text.hpp"

namespace carriers {
namespace {

using namespace corbel::base;
using namespace corbel::transport;
using corbel::cdr::Segment;

constexpr std::string_view kScheme = "masked";
constexpr std::size_t kLargestRecord = 4096, kHeader = 2;  // octets; a header is the length, the high octet first
using Number = std::array<Octet, 16>;

Number random_number() {
  std::random_device source;
  Number number;
  std::generate(number.begin(), number.end(), [&] { return static_cast<Octet>(source()); });
  return number;
}

class MaskedTransport final : public Transport {
 public:
  MaskedTransport(std::unique_ptr<Transport> inner, bool connects)
      : inner_(std::move(inner)), mine_(random_number()), connects_(connects) {}

  /// One end speaks first and the other answers. Each knows the number of the other when this succeeds.
  Status handshake(Deadline deadline) override {
    if (connects_ && !said_) CORBEL_CHECK(say(deadline));
    while (heard_ < theirs_.size()) {
      CORBEL_TRY(const std::size_t count, inner_->receive(ByteSpan(theirs_).subspan(heard_), deadline));
      heard_ += count;
    }
    return said_ ? Status() : say(deadline);
  }

  /// A record that the inner carrier did not take whole stays in `record_`. Its octets count as taken, but for the
  /// last: it brings the sender back, and is skipped then.
  Result<std::size_t> send(std::span<const Segment> data, Deadline deadline) override {
    std::size_t taken = std::exchange(offered_again_, 0);
    for (;;) {
      if (record_.empty()) {
        if (!make_record(data, taken)) return taken;
        taken += record_.size() - kHeader;
      }
      while (sent_ < record_.size()) {
        const Segment rest{record_.data() + sent_, record_.size() - sent_};
        auto count = inner_->send({&rest, 1}, deadline);
        offered_again_ = !count && deadline.is_now() ? 1 : 0;
        if (!count) return offered_again_ == 1 && taken > 1 ? Result<std::size_t>(taken - 1) : std::move(count);
        sent_ += *count;
      }
      masked_ += record_.size() - kHeader;
      record_.clear();
      sent_ = 0;
    }
  }

  Result<std::size_t> receive(ByteSpan buffer, Deadline deadline) override {
    while (!pending()) {
      input_.erase(input_.begin(), input_.begin() + static_cast<std::ptrdiff_t>(std::exchange(input_begin_, 0)));
      const std::size_t before = input_.size();
      input_.resize(before + kHeader + kLargestRecord);
      auto count = inner_->receive(ByteSpan(input_).subspan(before), deadline);
      input_.resize(before + (count ? *count : 0));
      if (!count) return count;
      const bool headed = input_.size() >= kHeader;
      if (headed && (record_size() == 0 || record_size() > kLargestRecord))
        return error(Stage::receive, Code::malformed);
    }
    const std::size_t size = std::min(buffer.size(), record_size() - unmasked_);
    const std::size_t begin = input_begin_ + kHeader + unmasked_;
    for (std::size_t i = 0; i < size; ++i) buffer[i] = masked(input_[begin + i], theirs_, received_ + i);
    received_ += size;
    unmasked_ += size;
    if (unmasked_ == record_size()) input_begin_ += kHeader + std::exchange(unmasked_, 0);
    return size;
  }
  /// A whole record, or the rest of one, is here: the inner handle knows nothing of it.
  bool pending() const noexcept override {
    const std::size_t size = record_size();
    return size != 0 && input_.size() - input_begin_ >= kHeader + size;
  }

  void shutdown() noexcept override { inner_->shutdown(); }
  void abandon() noexcept override { inner_->abandon(); }
  int handle() const noexcept override { return inner_->handle(); }
  int send_handle() const noexcept override { return inner_->send_handle(); }
  Traits traits() const noexcept override { return {.shakes_hands = true}; }
  std::string local() const override { return outer(inner_->local()); }
  std::string peer() const override { return outer(inner_->peer()); }
  PeerIdentity identity() const override { return inner_->identity(); }

 private:
  static std::string outer(const std::string& inner) { return std::string(kScheme) + inner.substr(inner.find(':')); }
  /// The octet that is number `at` of its direction.
  static Octet masked(Octet octet, const Number& number, std::uint64_t at) noexcept {
    return static_cast<Octet>(octet ^ (number[at % number.size()] + at / number.size()));
  }

  Status say(Deadline deadline) {
    const Segment number{mine_.data(), mine_.size()};
    CORBEL_TRY(const std::size_t sent, inner_->send({&number, 1}, deadline));
    said_ = sent == mine_.size();  // a socket that nothing was sent on takes that much
    return said_ ? Status() : error(Stage::send, Code::lost);
  }

  /// Masks what follows the first `skip` octets of the list; false if nothing does.
  bool make_record(std::span<const Segment> data, std::size_t skip) {
    record_.assign(kHeader, 0);
    for (const Segment& segment : data) {
      const auto* octets = static_cast<const Octet*>(segment.data);
      const std::size_t begin = std::min(skip, segment.size);
      skip -= begin;
      for (std::size_t i = begin; i < segment.size && record_.size() < kHeader + kLargestRecord; ++i) {
        record_.push_back(masked(octets[i], mine_, masked_ + record_.size() - kHeader));
      }
    }
    const std::size_t size = record_.size() - kHeader;
    record_[0] = static_cast<Octet>(size >> 8);
    record_[1] = static_cast<Octet>(size);
    if (size == 0) record_.clear();
    return size != 0;
  }

  /// Of the record at the beginning of the input; 0 if its header is not there.
  std::size_t record_size() const noexcept {
    if (input_.size() - input_begin_ < kHeader) return 0;
    return static_cast<std::size_t>(input_[input_begin_] << 8 | input_[input_begin_ + 1]);
  }

  std::unique_ptr<Transport> inner_;
  const Number mine_;
  Number theirs_{};
  const bool connects_;
  bool said_ = false;
  std::size_t heard_ = 0;

  // The sending thread's.
  Bytes record_;
  std::size_t offered_again_ = 0;  // octets in it that did not count as taken
  std::size_t sent_ = 0;           // octets of it
  std::uint64_t masked_ = 0;       // octets in all that have left

  // The receiving thread's.
  Bytes input_;
  std::size_t input_begin_ = 0;
  std::size_t unmasked_ = 0;  // octets of the first record that were handed out
  std::uint64_t received_ = 0;
};

struct MaskedEndpoint final : TextEndpoint {
  explicit MaskedEndpoint(EndpointPtr endpoint)
      : TextEndpoint(kScheme, endpoint->text().substr(endpoint->scheme().size() + 3)), inner(std::move(endpoint)) {}
  Reach reach() const noexcept override { return inner->reach(); }
  const EndpointPtr inner;
};

struct MaskedConnector final : Connector {
  explicit MaskedConnector(std::unique_ptr<Connector> inner) : below(std::move(inner)) {}
  Result<std::unique_ptr<Transport>> connect(const Endpoint& endpoint, const ConnectionOptions& options,
                                             Deadline deadline) override {
    CORBEL_TRY(const auto* own, own_endpoint<MaskedEndpoint>(endpoint, Stage::connect));
    CORBEL_TRY(auto inner, below->connect(*own->inner, options, deadline));
    auto transport = std::make_unique<MaskedTransport>(std::move(inner), true);
    const auto ready = transport->handshake(deadline);
    if (!ready) return error(Stage::connect, ready.error().code, ready.error().os_error);
    return std::unique_ptr<Transport>(std::move(transport));
  }

  std::unique_ptr<Connector> below;
};

struct MaskedAcceptor final : Acceptor {
  explicit MaskedAcceptor(std::unique_ptr<Acceptor> inner) : below(std::move(inner)) {}
  Result<std::unique_ptr<Transport>> accept() override {
    CORBEL_TRY(auto inner, below->accept());
    return std::unique_ptr<Transport>(new MaskedTransport(std::move(inner), false));
  }
  int handle() const noexcept override { return below->handle(); }
  std::vector<EndpointPtr> endpoints() const override {
    std::vector<EndpointPtr> all;
    for (auto& each : below->endpoints()) all.push_back(std::make_shared<MaskedEndpoint>(std::move(each)));
    return all;
  }
  void close() noexcept override { below->close(); }

  std::unique_ptr<Acceptor> below;
};

struct MaskedFactory final : Factory {
  explicit MaskedFactory(std::shared_ptr<const Factory> inner) : below(std::move(inner)) {}
  std::string_view scheme() const noexcept override { return kScheme; }
  std::string_view address_form() const noexcept override { return below->address_form(); }
  Traits traits() const noexcept override { return {.shakes_hands = true}; }
  Result<EndpointPtr> parse(std::string_view address) const override {
    CORBEL_TRY(auto inner, below->parse(address));
    return EndpointPtr(std::make_shared<MaskedEndpoint>(std::move(inner)));
  }
  std::unique_ptr<Connector> make_connector() const override {
    return std::make_unique<MaskedConnector>(below->make_connector());
  }
  Result<std::unique_ptr<Acceptor>> listen(const Endpoint& endpoint, const Options& options) const override {
    CORBEL_TRY(const auto* own, own_endpoint<MaskedEndpoint>(endpoint, Stage::listen));
    CORBEL_TRY(auto inner, below->listen(*own->inner, options));
    return std::unique_ptr<Acceptor>(new MaskedAcceptor(std::move(inner)));
  }

  std::shared_ptr<const Factory> below;
};

}  // namespace

std::shared_ptr<const Factory> make_masked(std::shared_ptr<const Factory> inner) {
  return std::make_shared<MaskedFactory>(std::move(inner));
}

}  // namespace carriers
