// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/tls_openssl/carrier.hpp"

#include <algorithm>
#include <cstring>

#include "corbel/transport/tls_openssl/sending.hpp"

namespace corbel::transport::tls {

using base::Code;
using base::Deadline;
using base::Stage;
using cdr::Segment;
using Step = Session::Step;

namespace {

/// Most octets that the session may want to say in answer to what it reads, while this side sends nothing.
constexpr std::size_t kMostAnswers = std::size_t{64} << 10;
/// For the rest of a message about keys or tickets, without which nothing can be sent: honest peers send it in one go.
constexpr base::Duration kMostHalf = std::chrono::seconds(1);

}  // namespace

TlsTransport::TlsTransport(std::unique_ptr<Transport> inner, std::unique_ptr<Session> session, Role role,
                           const base::Log& log)
    : inner_(std::move(inner)),
      role_(role),
      log_(log),
      session_(std::move(session)),
      offers_ticket_(role == Role::server) {}

/// Tickets that a server of another make sent may still be unread: the system would take back what this side has sent
/// if it closed upon them.
TlsTransport::~TlsTransport() {
  if (role_ == Role::server || subject_.empty()) return;
  std::array<base::Octet, 4096> octets;
  for (int i = 0; i < 4; ++i) {
    if (!inner_->receive(octets, Deadline::now())) return;
  }
}

std::string TlsTransport::outer(const std::string& inner) {
  return std::string(kScheme) + inner.substr(std::min(inner.find(':'), inner.size()));
}

PeerIdentity TlsTransport::identity() const {
  PeerIdentity identity = inner_->identity();
  identity.subject = subject_;
  identity.encrypted = true;
  return identity;
}

bool TlsTransport::stands_for(const std::string& host) const {
  const std::lock_guard lock(mutex_);
  return session_->stands_for(host);
}

// --- receiving ---

base::Result<std::size_t> TlsTransport::receive(base::ByteSpan buffer, Deadline deadline) {
  if (!intake_.take(mutex_, deadline)) {
    return base::error(Stage::receive, deadline.is_now() ? Code::would_block : Code::timed_out);
  }
  struct Given {
    TlsTransport& self;
    ~Given() { self.intake_.give(self.mutex_); }
  } const given{*this};
  return receive_with_intake(buffer, deadline);
}

/// A thread that sends and has the intake leaves nothing behind.
bool TlsTransport::pending() const noexcept {
  if (!intake_.try_take()) return false;
  const bool pending = has_pending();
  intake_.give(mutex_);
  return pending;
}

base::Result<std::size_t> TlsTransport::receive_with_intake(base::ByteSpan buffer, Deadline deadline) {
  for (;;) {
    if (has_pending()) {
      std::size_t total = 0;
      Step step = Step::done;
      {
        const std::lock_guard lock(mutex_);
        const base::ConstByteSpan whole = records_.whole();
        session_->set_input(whole);
        while (total < buffer.size() && step == Step::done) {
          std::size_t count = 0;
          step = session_->read(buffer.subspan(total), count);
          total += count;
        }
        records_.take(whole.size() - session_->input().size());
        session_->set_input({});
        const bool answers_grow = session_->output().size() > kMostAnswers;
        if (answers_grow) step = Step::closed;
        has_more_ = session_->has_more() || step == Step::closed || step == Step::failed;
        intake_.tell();
      }
      // An error, or the end, comes again at the next call.
      if (total != 0) return total;
      if (step == Step::closed) return base::error(Stage::receive, Code::closed);
      if (step == Step::failed) return refuse(session_->failure(), Stage::receive);
    }
    if (auto filled = fill(Stage::receive, deadline); !filled) return filled.error();
  }
}

/// Receives more octets from the inner carrier.
base::Status TlsTransport::fill(Stage stage, Deadline deadline) {
  if (records_.fault() == Records::Fault::too_large) return refuse_foreign(stage);
  auto count = inner_->receive(records_.room(), deadline);
  if (!count) {
    base::Error error = count.error();
    // An end inside a record was not what the peer meant; many peers end without a word of TLS.
    if (error.code == Code::closed && !records_.empty()) error.code = Code::lost;
    return error;
  }
  records_.add(*count);
  return {};
}

// --- sending ---

namespace {

std::size_t size_of(std::span<const Segment> data) noexcept {
  std::size_t size = 0;
  for (const Segment& each : data) size += each.size;
  return size;
}

}  // namespace

base::Result<std::size_t> TlsTransport::send(std::span<const Segment> data, Deadline deadline) {
  return send_list(data, deadline, deadline.is_now());
}

base::Result<std::size_t> TlsTransport::send_some(std::span<const Segment> data, Deadline deadline) {
  return send_list(data, deadline, true);
}

/// `some`: what has left by the deadline is no failure.
base::Result<std::size_t> TlsTransport::send_list(std::span<const Segment> data, Deadline deadline, bool some) {
  const Sending sending(sending_);
  if (!sending) return base::error(Stage::send, Code::lost);
  Position at;
  for (std::size_t i = batch_begin_; i < batch_end_; ++i) at.advance(data, batch_[i].plain);  // offered again
  std::size_t taken = 0;
  for (;;) {
    if (gone_ == wire_.size()) {
      const auto more = encipher(data, at, deadline);
      if (!more && some && taken != 0 && more.error().code != Code::lost) return taken;
      if (!more) return more.error();
      if (!*more) return taken;
    }
    const Segment rest{wire_.data() + gone_, wire_.size() - gone_};
    // The session has something to say behind the data.
    const bool over = taken != 0 && taken == size_of(data);
    auto count = some || over ? inner_->send_some({&rest, 1}, deadline) : inner_->send({&rest, 1}, deadline);
    if (!count) {
      if (over) return taken;  // no failure of a message that has gone: the next one meets it
      const bool later = count.error().code == Code::would_block || count.error().code == Code::timed_out;
      if (!some || !later) return count;
      taken += keep_wire(size_of(data) - taken);
      return taken != 0 ? base::Result<std::size_t>(taken) : base::error(Stage::send, Code::would_block);
    }
    gone_ += *count;
    taken += settle();
  }
}

/// What is in records counts as taken, whether they have left or not, since nothing else may leave in their place. The
/// exception is the last octet of all that was offered: it brings the sender back. How much that is, of the `offered`
/// octets that were not taken yet.
std::size_t TlsTransport::keep_wire(std::size_t offered) noexcept {
  std::size_t inside = 0;
  for (; batch_begin_ < batch_end_; ++batch_begin_) inside += batch_[batch_begin_].plain;
  const std::size_t kept = inside != 0 && inside == offered ? 1 : 0;
  batch_begin_ = 0;
  batch_end_ = kept;
  batch_[0] = {wire_.size(), kept};
  return inside - kept;
}

/// Octets of records that have left since this was asked last.
std::size_t TlsTransport::settle() noexcept {
  std::size_t plain = 0;
  while (batch_begin_ < batch_end_ && batch_[batch_begin_].end <= gone_) plain += batch_[batch_begin_++].plain;
  return plain;
}

/// Enciphers the next records of the list, and before them what the session has to say; false if there is neither.
base::Result<bool> TlsTransport::encipher(std::span<const Segment> data, Position& at, Deadline deadline) {
  wire_.clear();
  gone_ = batch_begin_ = batch_end_ = 0;
  Position before = at;
  base::ConstByteSpan plain = next_plain(data, at);
  std::unique_lock lock(mutex_);
  if (offers_ticket_ && !plain.empty()) {
    session_->offer_ticket();
    offers_ticket_ = false;
  }
  while (!plain.empty()) {
    const Step step = write(plain, lock, deadline);
    if (step == Step::wants_input) [[unlikely]] {
      at = before;
      if (!session_->output().empty()) break;
      return base::error(Stage::send, deadline.is_now() ? Code::would_block : Code::timed_out);
    }
    if (step != Step::done) return base::error(Stage::send, Code::lost);
    batch_[batch_end_++] = {session_->output().size(), plain.size()};
    if (batch_end_ == kBatch || plain.size() < kPlain) break;
    before = at;
    plain = next_plain(data, at);
  }
  wire_.swap(session_->output());
  return !wire_.empty();
}

/// OpenSSL writes nothing while a message about keys or tickets has come in part. Its rest comes next: the thread that
/// receives brings it, and if there is none, this one takes that and no more. wants_input if it is not there by the
/// deadline.
Step TlsTransport::write(base::ConstByteSpan plain, std::unique_lock<std::mutex>& lock, Deadline deadline) {
  Step step = session_->write(plain);
  if (step == Step::wants_input) [[unlikely]] {
    if (!wants_input_.exchange(true, std::memory_order_relaxed)) rest_by_ = Deadline::after(kMostHalf);
    step = write_behind_rest(plain, lock, earlier(deadline, rest_by_));
    if (step == Step::wants_input && !rest_by_.expired()) return step;
  }
  if (wants_input_.load(std::memory_order_relaxed)) [[unlikely]]
    wants_input_.store(false, std::memory_order_relaxed);
  if (step == Step::done) [[likely]]
    return step;
  lock.unlock();
  const bool waits = step != Step::failed;
  const Session::Failure late{Code::lost, "a message about keys or tickets has come in part, and no rest", {}};
  (void)refuse(waits ? late : session_->failure(), Stage::send);
  return Step::closed;
}

Step TlsTransport::write_behind_rest(base::ConstByteSpan plain, std::unique_lock<std::mutex>& lock, Deadline deadline) {
  auto step = Step::wants_input;
  for (bool more = true; step == Step::wants_input && (more || !deadline.expired());) {
    if (!intake_.try_take()) {
      intake_.wait(lock, deadline);
      step = session_->write(plain);
      more = false;
      continue;
    }
    lock.unlock();
    const base::Status came = fill_record(deadline);
    lock.lock();
    const base::ConstByteSpan whole = records_.whole();
    session_->set_input(whole);
    step = session_->write(plain);
    records_.take(whole.size() - session_->input().size());
    session_->set_input({});
    more = came.ok();
    const bool later = more || came.error().code == Code::would_block || came.error().code == Code::timed_out;
    if (!later && step == Step::wants_input) step = Step::closed;
    intake_.give(lock);
  }
  return step;
}

/// With the intake: reads until there is a whole record, and nothing beyond it.
base::Status TlsTransport::fill_record(Deadline deadline) noexcept try {
  while (!records_.has_whole() && records_.fault() == Records::Fault::none) {
    CORBEL_TRY(const std::size_t count, inner_->receive(records_.room().first(records_.missing()), deadline));
    records_.add(count);
  }
  return records_.has_whole() ? base::Status() : base::error(Stage::receive, Code::malformed);
} catch (const std::bad_alloc&) {
  return base::error(Stage::receive, Code::out_of_resources);
}

void TlsTransport::Position::advance(std::span<const Segment> data, std::size_t count) noexcept {
  offset += count;
  while (segment < data.size() && offset >= data[segment].size) offset -= data[segment++].size;
}

/// The part of the list that one record takes: in place if it is in one piece, else joined. Moves on behind it.
base::ConstByteSpan TlsTransport::next_plain(std::span<const Segment> data, Position& at) {
  at.advance(data, 0);
  if (at.segment == data.size()) return {};
  const auto octets = [&] { return static_cast<const base::Octet*>(data[at.segment].data) + at.offset; };
  const std::size_t first = data[at.segment].size - at.offset;
  if (first >= kPlain || at.segment + 1 == data.size()) {
    const base::ConstByteSpan plain(octets(), std::min(first, kPlain));
    at.advance(data, plain.size());
    return plain;
  }
  if (joined_ == nullptr) joined_ = std::make_unique_for_overwrite<base::Octet[]>(kPlain);
  std::size_t size = 0;
  while (at.segment < data.size() && size < kPlain) {
    const std::size_t count = std::min(data[at.segment].size - at.offset, kPlain - size);
    std::memcpy(joined_.get() + size, octets(), count);
    size += count;
    at.advance(data, count);
  }
  return {joined_.get(), size};
}

// --- the end ---

void TlsTransport::shutdown() noexcept {
  // Only if no thread sends, and none will.
  if (!sending_.exchange(true, std::memory_order_acq_rel) && gone_ == wire_.size()) {
    try {
      const std::lock_guard lock(mutex_);
      session_->say_end();
      const Segment end{session_->output().data(), session_->output().size()};
      if (end.size != 0) (void)inner_->send({&end, 1}, Deadline::now());
      session_->output().clear();
    } catch (const std::bad_alloc&) {  // the peer sees an end without words
    }
  }
  inner_->shutdown();
}

base::Error TlsTransport::refuse(const Session::Failure& failure, Stage stage) {
  const base::Error error = base::error(stage, failure.code);
  const std::string_view side = role_ == Role::client ? "client" : "server";
  CORBEL_LOG(log_, transport, warning, "TLS refused", {"peer", peer()}, {"side", side},
             {"error", to_string(error.code)}, {"why", failure.reason}, {"certificate", failure.subject});
  return error;
}

base::Error TlsTransport::refuse_foreign(Stage stage) {
  constexpr std::size_t kShown = 16;
  const base::ConstByteSpan all = records_.all();
  const bool foreign = records_.fault() == Records::Fault::not_tls;
  const base::Error error = base::error(stage, foreign ? Code::not_secure : Code::lost);
  CORBEL_LOG(log_, transport, warning, "TLS refused", {"peer", peer()},
             {"side", role_ == Role::client ? "client" : "server"}, {"error", to_string(error.code)},
             {"why", foreign ? "the first octets are of something else" : "a record is larger than any may be"},
             {"octets", all.first(std::min(all.size(), kShown))});
  return error;
}

}  // namespace corbel::transport::tls
