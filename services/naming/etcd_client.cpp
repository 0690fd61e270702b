// SPDX-License-Identifier: Apache-2.0
#include "etcd_client.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include "etcd_json.hpp"

namespace corbel::naming {
namespace {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::milliseconds;
using Fault = StoreError::Fault;
using Completed = StoreError::Completed;

/// As gRPC numbers them.
enum GrpcCode {
  kCancelled = 1,
  kUnknown = 2,
  kInvalid = 3,
  kDeadlineExceeded = 4,
  kNotPermitted = 7,
  kExhausted = 8,
  kOutOfRange = 11,
  kUnavailable = 14,
  kNotAuthenticated = 16
};

Milliseconds left(Patience until) {
  return std::chrono::ceil<Milliseconds>(until - Clock::now());
}

/// A member that said this has not passed the request on.
bool was_not_begun(const std::string& message) {
  return message.find("no leader") != std::string::npos || message.find("too many requests") != std::string::npos;
}

bool says(const EtcdRefusal& refusal, const char* what) {
  return refusal.message.find(what) != std::string::npos;
}

/// A member wants another token, or one at all. It has not done what it was asked for.
bool is_token_refused(const EtcdRefusal& refusal) {
  if (refusal.code == kNotAuthenticated) return true;
  return refusal.code == kInvalid && (says(refusal, "user name is empty") || says(refusal, "auth store is old"));
}

constexpr const char* kMajority =
    "; more than half of the members must run and reach each other (etcdctl endpoint status --cluster)";

/// What people can do about what members say; nothing if that is not known.
const char* advice(const EtcdRefusal& refusal) {
  if (says(refusal, "space exceeded")) {
    return "; its disk is full, or --quota-backend-bytes reached; make room (etcdctl compact, defrag), then etcdctl "
           "alarm disarm";
  }
  if (says(refusal, "alarm") || says(refusal, "corrupt")) return "; see etcdctl alarm list";
  if (says(refusal, "no leader") || says(refusal, "timed out") || says(refusal, "deadline exceeded")) {
    return kMajority;
  }
  return "";
}

bool is_passing(const EtcdRefusal& refusal, long status) {
  switch (refusal.code) {
    case kCancelled:
    case kUnknown:
    case kDeadlineExceeded:
    case kUnavailable:
      return true;
    case kExhausted:
      return was_not_begun(refusal.message);  // else its disk is full
    default:
      return refusal.code == 0 && status >= 500;
  }
}

}  // namespace

/// One side does not believe the other's certificate: that does not pass by itself, but another member may do better.
class EtcdClient::Untrusted : public StoreError {
 public:
  explicit Untrusted(const std::string& text) : StoreError(text, Fault::away) {}
};

/// A request, whoever is asked.
struct EtcdClient::Call {
  EtcdConnection& connection;
  const EtcdTransaction& transaction;
  const std::string& body;
  Patience until;
};

/// A connection for the length of a block.
class EtcdClient::Borrowed {
 public:
  Borrowed(EtcdClient& client, Patience until) : client_(client) {
    {
      std::unique_lock lock(client.mutex_);
      const auto is_room = [&] { return client.borrowed_ < client.options_.connections; };
      if (!is_room() && !client.returned_.wait_until(lock, until, is_room)) {
        throw StoreError(client.name_ + ": all connections were busy for too long", Fault::away);
      }
      ++client.borrowed_;
      if (!client.idle_.empty()) {
        connection_ = std::move(client.idle_.back());
        client.idle_.pop_back();
      }
    }
    try {
      if (connection_ == nullptr) connection_ = std::make_unique<EtcdConnection>(client.login_.security());
    } catch (...) {
      give_back();
      throw;
    }
  }
  ~Borrowed() { give_back(); }
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;
  EtcdConnection& operator*() const noexcept { return *connection_; }

 private:
  void give_back() noexcept {
    {
      const std::lock_guard lock(client_.mutex_);
      --client_.borrowed_;
      // There is room: it was reserved.
      if (connection_ != nullptr) client_.idle_.push_back(std::move(connection_));
    }
    client_.returned_.notify_one();
  }

  EtcdClient& client_;
  std::unique_ptr<EtcdConnection> connection_;
};

EtcdClient::EtcdClient(std::string name, std::vector<std::string> endpoints, EtcdOptions options, Tell tell)
    : name_(std::move(name)),
      endpoints_(std::move(endpoints)),
      options_(std::move(options)),
      tell_(std::move(tell)),
      login_(options_.security) {
  idle_.reserve(options_.connections);
}

EtcdClient::~EtcdClient() = default;

EtcdAnswer EtcdClient::run(const EtcdTransaction& transaction, Patience until) {
  constexpr Milliseconds kShort(10), kMost(200);
  const std::string body = to_json(transaction);
  const Borrowed connection(*this, until);
  const Call call{*connection, transaction, body, until};
  std::size_t untrusted = 0;  // how many one after the other
  for (std::size_t attempt = 0;; ++attempt) {
    std::size_t member = preferred_.load(std::memory_order_relaxed);
    try {
      EtcdAnswer answer = ask(call, endpoints_[member % endpoints_.size()]);
      answered();
      return answer;
    } catch (const EtcdCompacted&) {
      throw;
    } catch (const StoreError& failure) {
      if (failure.fault() != Fault::away) {
        tell_now_and_then(failure);
        throw;
      }
      // The next one at once; a pause when none of them has answered.
      const std::size_t rounds = (attempt + 1) / endpoints_.size();
      const bool whole_round = (attempt + 1) % endpoints_.size() == 0;
      preferred_.compare_exchange_strong(member, member + 1);  // unless somebody else has done it
      if (whole_round || failure.completed() == Completed::maybe) missed(failure);
      if (failure.completed() == Completed::maybe) throw;
      untrusted = dynamic_cast<const Untrusted*>(&failure) != nullptr ? untrusted + 1 : 0;
      if (untrusted == endpoints_.size()) throw StoreError(failure.what(), Fault::broken);
      const Patience next = whole_round ? Clock::now() + std::min<Milliseconds>(rounds * kShort, kMost) : Clock::now();
      if (next >= until) throw StoreError(in_vain(failure), Fault::away);
      std::this_thread::sleep_until(next);
    }
  }
}

EtcdAnswer EtcdClient::ask(const Call& call, const std::string& endpoint) {
  const EtcdTransaction& transaction = call.transaction;
  const bool changes = transaction.changes();
  const auto away = [&](const char* why) {
    return StoreError(name_ + ": " + endpoint + ": " + why, Fault::away, changes ? Completed::maybe : Completed::no);
  };
  const EtcdLogin::Token token = login_.token();
  HttpAnswer answer = post(call, endpoint, "/v3/kv/txn", call.body, token.text);
  if (answer.status != 200 && login_.has_user() && is_token_refused(refusal_from_json(answer.body, answer.status))) {
    const auto log_in = [&](const std::string& body) { return this->log_in(call, endpoint, body); };
    answer = post(call, endpoint, "/v3/kv/txn", call.body, login_.renew(token, log_in).text);
  }
  if (answer.status != 200) {
    const EtcdRefusal refusal = refusal_from_json(answer.body, answer.status);
    const StoreError error = refused(changes, endpoint, refusal, answer.status);
    if (refusal.code == kOutOfRange) throw EtcdCompacted(error.what(), Fault::broken);
    throw error;
  }
  auto reply = reply_from_json(answer.body);
  if (!reply) throw away("answers what etcd does not");
  std::uint64_t known = 0;
  if (!cluster_.compare_exchange_strong(known, reply->cluster) && known != reply->cluster) {
    throw away("is of another cluster");
  }
  // What it was asked for and does not tell cannot be taken for nothing.
  const auto& asked = reply->answer.succeeded ? transaction.ranges : transaction.else_ranges;
  if (reply->answer.ranges.size() != asked.size()) throw away("does not answer what it was asked");
  return std::move(reply->answer);
}

/// An answer of HTTP, whatever it says.
HttpAnswer EtcdClient::post(const Call& call, const std::string& endpoint, const char* path, const std::string& body,
                            const std::string& token) const {
  const bool changes = call.transaction.changes();
  const std::string where = name_ + ": " + endpoint + ": ";
  const Milliseconds all = left(call.until);
  if (all.count() <= 0) throw StoreError(where + "did not answer in time", Fault::away);
  // A member that is silent leaves time for the others. Of a change nobody else can be asked.
  const Milliseconds share = std::max(Milliseconds(1), all / static_cast<int>(endpoints_.size()));
  const bool is_change = changes && &body == &call.body;
  HttpAnswer answer = call.connection.post({.url = endpoint + path,
                                            .body = body,
                                            .token = token,
                                            .connect_patience = std::min(options_.connect_patience, share),
                                            .patience = is_change ? all : share});
  if (answer.failure == HttpAnswer::Failure::none) return answer;
  if (answer.failure == HttpAnswer::Failure::untrusted) throw Untrusted(where + answer.why);
  throw StoreError(where + answer.why, Fault::away, is_change && answer.sent ? Completed::maybe : Completed::no);
}

std::string EtcdClient::log_in(const Call& call, const std::string& endpoint, const std::string& body) const {
  const std::string where = name_ + ": " + endpoint + ": ";
  const HttpAnswer answer = post(call, endpoint, "/v3/auth/authenticate", body, {});
  if (answer.status == 200) {
    auto token = token_from_json(answer.body);
    if (!token) throw StoreError(where + "answers a login as etcd does not", Fault::away);
    return std::move(*token);
  }
  const EtcdRefusal refusal = refusal_from_json(answer.body, answer.status);
  if (says(refusal, "authentication is not enabled")) return {};
  if (says(refusal, "invalid user ID or password")) {
    throw StoreError(where + "does not know the user '" + login_.security().user + "', or the password is wrong",
                     Fault::broken);
  }
  throw refused(false, endpoint, refusal, answer.status);
}

StoreError EtcdClient::refused(bool changes, const std::string& endpoint, const EtcdRefusal& refusal,
                               long status) const {
  const std::string text = name_ + ": " + endpoint + ": " + refusal.message + advice(refusal);
  if (refusal.code == kNotPermitted) {
    return {text + ": the user '" + login_.security().user +
                "' needs a role that may read and write all keys below the prefix (etcdctl role grant-permission ROLE "
                "--prefix readwrite PREFIX)",
            Fault::broken};
  }
  if (says(refusal, "CommonName of client")) {
    return {text + ": an etcd with users takes certificates without a CommonName alone here (--store-cert)",
            Fault::broken};
  }
  if (is_token_refused(refusal)) {
    return {text + (login_.has_user() ? ": it does not take the token that it gave to '" + login_.security().user + "'"
                                      : ": etcd asks for a user (--store-user)"),
            Fault::broken};
  }
  if (is_passing(refusal, status)) {
    return {text, Fault::away, changes && !was_not_begun(refusal.message) ? Completed::maybe : Completed::no};
  }
  return {text, Fault::broken};
}

/// The last one that was asked may be one that does not run, while those that do have no leader.
std::string EtcdClient::in_vain(const StoreError& failure) const {
  std::string text = failure.what();
  if (endpoints_.size() > 1 && text.find(kMajority) == std::string::npos) text += kMajority;
  return text;
}

void EtcdClient::missed(const StoreError& failure) {
  if (!away_.exchange(true) && tell_) tell_(in_vain(failure));
}

/// What does not pass by itself, and fails again and again.
void EtcdClient::tell_now_and_then(const StoreError& failure) {
  constexpr std::int64_t kBetween = 10;  // s
  const std::int64_t now = std::chrono::duration_cast<std::chrono::seconds>(Clock::now().time_since_epoch()).count();
  std::int64_t last = told_.load(std::memory_order_relaxed);
  if (last != 0 && now - last < kBetween) return;
  if (told_.compare_exchange_strong(last, std::max<std::int64_t>(now, 1), std::memory_order_relaxed) && tell_) {
    tell_(failure.what());
  }
}

void EtcdClient::answered() {
  if (away_.load(std::memory_order_relaxed) && away_.exchange(false) && tell_) tell_(name_ + ": answers again");
}

std::string etcd_end(std::string prefix) {
  while (!prefix.empty() && prefix.back() == '\xFF') prefix.pop_back();
  if (!prefix.empty()) prefix.back() = static_cast<char>(static_cast<unsigned char>(prefix.back()) + 1);
  return prefix;
}

}  // namespace corbel::naming
