// SPDX-License-Identifier: Apache-2.0
// Server side of a connection: replies that the peer does not take at once. A thread waits for it a moment only; what
// is left then is copied and sent by the reactor, and until it has gone nothing more is read from the peer.
#include "corbel/connection/server.hpp"
#include "corbel/connection/serving_here.hpp"

namespace corbel::connection {

using base::Code;
using base::Deadline;
using base::Stage;

namespace {

// A peer that takes so much in such a time reads.
constexpr std::size_t kProofOctets = 64U << 10;
constexpr base::Duration kProof = std::chrono::milliseconds(200);

}  // namespace

/// With the writer token: sends `data`, of which `sent` octets have gone already.
base::Status Connection::send_slowly(std::span<const cdr::Segment> data, std::size_t sent) {
  const std::size_t total = total_size(data);
  if (link_.largest_message() != 0 && total > link_.largest_message()) {
    return base::error(Stage::encode, Code::too_large);
  }
  if (!keeps_replies() && sent == 0) {
    about_to_wait_here();
    const auto more = transport().send_some(data, server_->reply_grace());
    if (!more && more.error().code != Code::would_block) return link_.broken_off(more.error());
    if (more) sent = *more;
    if (sent == total) return {};
  }
  const std::size_t limit = server_->settings().limits.reply_backlog;
  if (!backlog_.empty() && backlog_.size() + total - sent > limit && !takes_backlog()) {
    if (!std::exchange(cut_unread_, true)) {
      CORBEL_LOG(log(), connection, warning, "connection cut: its replies are not read", {"peer", peer()},
                 {"octets", backlog_.size()}, {"limit", "-ORBMaxReplyBacklog"});
      watched.why = "its replies are not read";
      transport().shutdown();
    }
    return base::error(Stage::send, Code::too_large);
  }
  const bool behind_another = !backlog_.empty();
  for (;;) {
    const base::Status kept = backlog_.append(data, sent, server_->reply_memory());
    if (kept) break;
    const bool no_memory = kept.error().code == Code::out_of_resources;
    // Without memory the rest of the reply before this one is lost: nothing may follow it.
    if (!(no_memory && behind_another) && server_->make_room_for_replies(*this)) continue;
    if (no_memory) {
      CORBEL_LOG(log(), connection, warning, "connection cut: this process has no memory for its replies",
                 {"peer", peer()}, {"octets", total});
      watched.why = "no memory for its replies";
    } else {
      CORBEL_LOG(log(), connection, warning, "connection cut: unread replies take too much memory", {"peer", peer()},
                 {"octets", server_->reply_memory().used()}, {"limit", "-ORBMaxReplyMemory"});
      watched.why = "unread replies take too much memory";
    }
    return link_.broken_off(base::error(Stage::send, Code::out_of_resources));
  }
  if (!keeps_replies_.exchange(true, std::memory_order_seq_cst)) try {
      server_->sends_slowly(*this, backlog_.size());
    } catch (const std::bad_alloc&) {                          // nobody would be told when the peer takes more
      keeps_replies_.store(false, std::memory_order_seq_cst);  // it is read on, to its end
      return link_.broken_off(base::error(Stage::send, Code::out_of_resources));
    }
  return {};
}

/// With the writer token: what waits is as much as may. True if the peer takes it: then there is just more than one
/// that reads can take at once, and -ORBMaxReplyMemory is the limit.
bool Connection::takes_backlog() {
  std::size_t taken = 0;
  for (const auto until = Deadline::after(kProof); !cut_unread_ && !backlog_.empty() && taken < kProofOctets;) {
    const base::ConstByteSpan octets = backlog_.octets();
    const cdr::Segment segment{octets.data(), octets.size()};
    const auto sent = transport().send_some({&segment, 1}, until);
    if (!sent) break;
    backlog_.taken(*sent);
    taken += *sent;
  }
  if (taken != 0) server_->still_sends(*this, taken, backlog_.size());
  return taken >= kProofOctets || backlog_.empty();
}

/// The reactor says that the peer takes more.
void Connection::send_backlog() noexcept try {
  base::Status status;
  {
    std::unique_lock writer(link_.token(), std::try_to_lock);
    if (!writer) {  // a thread may hold it for as long as takes_backlog() lasts, and this is the leader
      if (server_->asks_again(*this)) return;
      writer.lock();
    }
    if (backlog_.empty()) return;
    const base::ConstByteSpan octets = backlog_.octets();
    const cdr::Segment segment{octets.data(), octets.size()};
    const auto sent = transport().send({&segment, 1}, Deadline::now());
    if (sent) backlog_.taken(*sent);
    if (!sent && sent.error().code != Code::would_block) {
      backlog_.clear();
      status = link_.broken_off(sent.error());
    } else if (!backlog_.empty()) {
      server_->still_sends(*this, sent ? *sent : 0, backlog_.size());
    } else {
      keeps_replies_.store(false, std::memory_order_seq_cst);
      // With the token: of two threads that get here in turn only one may look at the framer, and then no other reads.
      if (server_->is_parked(*this)) {
        const Framer* const framer = framer_.get();
        const Left outside = transport().pending() ? Left::more : Left::unknown;
        (void)server_->wait_for(*this, framer != nullptr ? left_in(*framer) : outside,
                                framer != nullptr ? framer->oldest_part() : 0);
      }
    }
  }
  if (!status) return cut(status.error());
  if (draining_.load(std::memory_order_seq_cst)) end_if_drained();
} catch (const std::bad_alloc&) {  // nobody would be told when the peer takes more
  cut(base::error(Stage::send, Code::out_of_resources));
}

bool Connection::cut_backlog(base::Error error) noexcept {
  {
    const std::unique_lock writer(link_.token(), std::try_to_lock);
    if (!writer || backlog_.empty()) return false;
    watched.why = "unread replies take too much memory";
    (void)link_.broken_off(error);
    backlog_.clear();
  }
  (void)fail(error);
  server_->forget(*this);
  return true;
}

void Connection::cut(base::Error error) noexcept {
  (void)fail(error);
  {
    const std::unique_lock writer(link_.token(), std::try_to_lock);
    if (writer) backlog_.clear();
  }
  server_->forget(*this);
}

}  // namespace corbel::connection
