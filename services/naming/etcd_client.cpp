// SPDX-License-Identifier: Apache-2.0
#include "etcd_client.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <cstring>
#include <thread>
#include <utility>

#include "etcd_json.hpp"

namespace corbel::naming {
namespace {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::milliseconds;
using Fault = StoreError::Fault;
using Completed = StoreError::Completed;

/// More than any answer to a question of ours.
constexpr std::size_t kMostOctets = 64U << 20;

/// As gRPC numbers them.
enum GrpcCode {
  kCancelled = 1,
  kUnknown = 2,
  kDeadlineExceeded = 4,
  kExhausted = 8,
  kOutOfRange = 11,
  kUnavailable = 14
};

Milliseconds left(Patience until) {
  return std::chrono::ceil<Milliseconds>(until - Clock::now());
}

/// A member that said this has not passed the request on.
bool was_not_begun(const std::string& message) {
  return message.find("no leader") != std::string::npos || message.find("too many requests") != std::string::npos;
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

/// A handle of libcurl's, which keeps connections.
struct EtcdClient::Connection {
  Connection() : handle(curl_easy_init(), &curl_easy_cleanup), headers(nullptr, &curl_slist_free_all) {
    headers.reset(curl_slist_append(nullptr, "Content-Type: application/json"));
    if (handle == nullptr || headers == nullptr) throw std::bad_alloc();
    if (curl_slist_append(headers.get(), "Expect:") == nullptr) throw std::bad_alloc();
    set(CURLOPT_HTTPHEADER, headers.get());
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_TCP_NODELAY, 1L);
    set(CURLOPT_PROXY, "");
    set(CURLOPT_POST, 1L);
    // Read by a function that cannot begin again, so that libcurl does not send it twice when a connection that was
    // kept turns out to be dead: nobody would know then what the first one has done.
    set(CURLOPT_READFUNCTION, &Connection::give);
    set(CURLOPT_READDATA, this);
    set(CURLOPT_WRITEFUNCTION, &Connection::take);
    set(CURLOPT_WRITEDATA, this);
    set(CURLOPT_ERRORBUFFER, why);
  }
  template <class Value>
  void set(CURLoption option, Value value) {
    curl_easy_setopt(handle.get(), option, value);
  }
  static std::size_t give(char* to, std::size_t size, std::size_t count, void* self) {
    auto& body = static_cast<Connection*>(self)->unsent;
    const std::size_t part = std::min(size * count, body.size());
    std::memcpy(to, body.data(), part);
    body.remove_prefix(part);
    return part;
  }
  static std::size_t take(const char* from, std::size_t size, std::size_t count, void* self) {
    auto& answer = static_cast<Connection*>(self)->answer;
    if (answer.size() + size * count > kMostOctets) return 0;
    answer.append(from, size * count);
    return size * count;
  }

  std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> handle;
  std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)> headers;
  std::string_view unsent;
  std::string answer;
  char why[CURL_ERROR_SIZE] = {};
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
      if (connection_ == nullptr) connection_ = std::make_unique<Connection>();
    } catch (...) {
      give_back();
      throw;
    }
  }
  ~Borrowed() { give_back(); }
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;
  Connection& operator*() const noexcept { return *connection_; }

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
  std::unique_ptr<Connection> connection_;
};

EtcdClient::EtcdClient(std::string name, std::vector<std::string> endpoints, EtcdOptions options, Tell tell)
    : name_(std::move(name)), endpoints_(std::move(endpoints)), options_(options), tell_(std::move(tell)) {
  static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (ready != CURLE_OK) throw StoreError(name_ + ": libcurl is of no use", Fault::broken);
  idle_.reserve(options_.connections);
}

EtcdClient::~EtcdClient() = default;

EtcdAnswer EtcdClient::run(const EtcdTransaction& transaction, Patience until) {
  constexpr Milliseconds kShort(10), kMost(200);
  const std::string body = to_json(transaction);
  const Borrowed connection(*this, until);
  for (std::size_t attempt = 0;; ++attempt) {
    std::size_t member = preferred_.load(std::memory_order_relaxed);
    try {
      EtcdAnswer answer = ask(*connection, endpoints_[member % endpoints_.size()], body, transaction, until);
      answered();
      return answer;
    } catch (const StoreError& failure) {
      if (failure.fault() != Fault::away) throw;
      // The next one at once; a pause when none of them has answered.
      const std::size_t rounds = (attempt + 1) / endpoints_.size();
      const bool whole_round = (attempt + 1) % endpoints_.size() == 0;
      preferred_.compare_exchange_strong(member, member + 1);  // unless somebody else has done it
      if (whole_round || failure.completed() == Completed::maybe) missed(failure);
      if (failure.completed() == Completed::maybe) throw;
      const Patience next = whole_round ? Clock::now() + std::min<Milliseconds>(rounds * kShort, kMost) : Clock::now();
      if (next >= until) throw;
      std::this_thread::sleep_until(next);
    }
  }
}

EtcdAnswer EtcdClient::ask(Connection& connection, const std::string& endpoint, const std::string& body,
                           const EtcdTransaction& transaction, Patience until) {
  const bool changes = transaction.changes();
  const auto away = [&](const std::string& why, bool maybe) {
    return StoreError(name_ + ": " + endpoint + ": " + why, Fault::away, maybe ? Completed::maybe : Completed::no);
  };
  const Milliseconds all = left(until);
  if (all.count() <= 0) throw away("did not answer in time", false);
  // A member that is silent leaves time for the others. Of a change nobody else can be asked.
  const Milliseconds mine = changes ? all : std::max(Milliseconds(1), all / static_cast<int>(endpoints_.size()));
  connection.unsent = body;
  connection.answer.clear();
  connection.why[0] = '\0';
  connection.set(CURLOPT_URL, (endpoint + "/v3/kv/txn").c_str());
  connection.set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
  connection.set(CURLOPT_TIMEOUT_MS, static_cast<long>(mine.count()));
  const Milliseconds connecting = std::min(options_.connect_patience, all / static_cast<int>(endpoints_.size()));
  connection.set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(std::max<std::int64_t>(1, connecting.count())));
  const CURLcode result = curl_easy_perform(connection.handle.get());
  long status = 0;
  long sent = 0;
  curl_easy_getinfo(connection.handle.get(), CURLINFO_RESPONSE_CODE, &status);
  curl_easy_getinfo(connection.handle.get(), CURLINFO_REQUEST_SIZE, &sent);
  if (result != CURLE_OK) {
    throw away(connection.why[0] != '\0' ? connection.why : curl_easy_strerror(result), changes && sent != 0);
  }
  if (status != 200) {
    const EtcdRefusal refusal = refusal_from_json(connection.answer, status);
    if (is_passing(refusal, status)) throw away(refusal.message, changes && !was_not_begun(refusal.message));
    const std::string text = name_ + ": " + endpoint + ": " + refusal.message;
    if (refusal.code == kOutOfRange) throw EtcdCompacted(text, Fault::broken);
    throw StoreError(text, Fault::broken);
  }
  auto reply = reply_from_json(connection.answer);
  if (!reply) throw away("answers what etcd does not", changes);
  std::uint64_t known = 0;
  if (!cluster_.compare_exchange_strong(known, reply->cluster) && known != reply->cluster) {
    throw away("is of another cluster", changes);
  }
  // What it was asked for and does not tell cannot be taken for nothing.
  const auto& asked = reply->answer.succeeded ? transaction.ranges : transaction.else_ranges;
  if (reply->answer.ranges.size() != asked.size()) throw away("does not answer what it was asked", changes);
  return std::move(reply->answer);
}

void EtcdClient::missed(const StoreError& failure) {
  if (!away_.exchange(true) && tell_) tell_(failure.what());
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
