// SPDX-License-Identifier: Apache-2.0
// The hand-shake: what either side has to say, step by step.
#include "corbel/transport/tls_openssl/carrier.hpp"
#include "corbel/transport/tls_openssl/sending.hpp"

namespace corbel::transport::tls {

using base::Code;
using base::Deadline;
using base::Stage;
using cdr::Segment;
using Step = Session::Step;

namespace {

constexpr int kMostLooks = 4;  // for the end behind a peer's first octets

}  // namespace

base::Status TlsTransport::handshake(Deadline deadline) {
  const Sending sending(sending_);
  if (!sending) return base::error(Stage::receive, Code::closed);
  for (;;) {
    if (records_.fault() != Records::Fault::none) return refuse_foreign(Stage::receive);
    const Step step = advance_handshake();
    auto flushed = flush(deadline);
    if (step == Step::failed) return refuse(session_->failure(), Stage::receive);
    if (!flushed) return flushed;
    // What has not gone is asked for again when there is room.
    if (step == Step::done && wants_room()) return base::error(Stage::receive, Code::would_block);
    if (step == Step::done) {
      tell_ready();
      return {};
    }
    if (step == Step::closed) return base::error(Stage::receive, Code::closed);
    CORBEL_CHECK(fill(Stage::receive, deadline));
    if (role_ == Role::server && !has_spoken_ && has_left()) return base::error(Stage::receive, Code::closed);
  }
}

/// With a peer's first octets: true if it has gone already, so that the work which they ask for would be for nobody.
/// (Who ends before this side has said anything cannot get to the end of a hand-shake.)
bool TlsTransport::has_left() {
  for (int looks = 0; looks < kMostLooks && records_.fault() == Records::Fault::none; ++looks) {
    const base::ByteSpan room = records_.room();
    if (room.empty()) return false;
    const auto count = inner_->receive(room, Deadline::now());
    if (!count) return count.error().code != Code::would_block && records_.has_whole();
    records_.add(*count);
  }
  return false;
}

Step TlsTransport::advance_handshake() {
  const std::lock_guard lock(mutex_);
  const base::ConstByteSpan whole = records_.whole();
  session_->set_input(whole);
  const Step step = session_->handshake();
  records_.take(whole.size() - session_->input().size());
  session_->set_input({});
  wire_.insert(wire_.end(), session_->output().begin(), session_->output().end());
  session_->output().clear();
  has_spoken_ = has_spoken_ || !wire_.empty();
  return step;
}

/// What the hand-shake has to say. What is not taken at once goes at the next step.
base::Status TlsTransport::flush(Deadline deadline) {
  while (gone_ < wire_.size()) {
    const Segment rest{wire_.data() + gone_, wire_.size() - gone_};
    auto count = inner_->send_some({&rest, 1}, deadline);
    const bool later = !count && count.error().code == Code::would_block;
    if (later && deadline.is_now()) return {};
    if (later && deadline.expired()) return base::error(Stage::send, Code::timed_out);
    if (!count && !later) return count.error();
    if (count) gone_ += *count;
  }
  wire_.clear();
  gone_ = 0;
  return {};
}

void TlsTransport::tell_ready() {
  const std::lock_guard lock(mutex_);
  subject_ = session_->subject();
  CORBEL_LOG(log_, transport, debug, "TLS established", {"peer", peer()},
             {"side", role_ == Role::client ? "client" : "server"}, {"version", session_->version()},
             {"cipher", session_->cipher()}, {"resumed", session_->is_resumed()}, {"subject", subject_});
}

}  // namespace corbel::transport::tls
