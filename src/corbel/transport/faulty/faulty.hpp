// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>

#include "corbel/transport/transport.hpp"

namespace corbel::transport {

namespace faulty {

/// What goes wrong on each conversation. Counts are octets of one conversation since it began.
struct Script {
  static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

  std::uint64_t cut_sent = kNever;        ///< the connection ends once exactly so many octets were sent
  std::uint64_t cut_received = kNever;    ///< the connection ends once exactly so many octets were received
  base::Code cut_as = base::Code::lost;   ///< what our own side is told after a cut
  std::uint64_t stall_sent = kNever;      ///< sending beyond times out at once, whatever the deadline
  std::uint64_t stall_received = kNever;  ///< receiving beyond times out at once, whatever the deadline
  std::size_t send_at_most = 0;           ///< octets passed on in one piece; 0: any number
  std::size_t receive_at_most = 0;        ///< octets received in one piece; 0: any number
  unsigned lose_every = 0;    ///< of messages sent, the last of every so many gets lost; 0: none. These three only
  unsigned repeat_every = 0;  ///< ... arrives twice                      where the carrier keeps messages and promises
  unsigned overtake_every = 0;  ///< ... comes after the one behind it      neither to lose none nor to keep the order
  bool hesitate = false;        ///< every other non-blocking operation reports would_block without cause
};

/// Whose conversations: those that a connector makes or those that an acceptor takes.
enum class Side { connecting, accepting };

/// Script and counts, shared by a test and the faulty factory that it drives. Thread-safe; a changed script holds from
/// the next operation on, for existing conversations too.
class CORBEL_API Plan {
 public:
  void set(Side side, const Script& script);
  Script script(Side side) const;
  /// The next so many connects are refused; accepts fail with out_of_resources (the peer stays queued).
  void refuse_connects(unsigned count);
  void fail_accepts(unsigned count);
  /// Octets that have passed in all conversations of a side.
  std::uint64_t sent(Side side) const;
  std::uint64_t received(Side side) const;
  /// Conversations that came about.
  unsigned conversations(Side side) const;

  // For the faulty transport itself.
  bool take_refusal(Side side);
  void count(Side side, std::uint64_t sent, std::uint64_t received);
  void count_conversation(Side side);

 private:
  struct PerSide {
    Script script;
    unsigned refusals = 0;
    unsigned conversations = 0;
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
  };
  PerSide& at(Side side) { return sides_[static_cast<std::size_t>(side)]; }
  const PerSide& at(Side side) const { return sides_[static_cast<std::size_t>(side)]; }

  mutable std::mutex mutex_;
  std::array<PerSide, 2> sides_;
};

}  // namespace faulty

/// `inner` (a transport of byte streams) with faults after `plan`, for tests. Keeps the inner transport's scheme and
/// endpoints, so that it can take its place in an ORB. Deterministic; never sleeps.
CORBEL_API std::shared_ptr<const Factory> make_faulty(std::shared_ptr<const Factory> inner,
                                                      std::shared_ptr<faulty::Plan> plan);

}  // namespace corbel::transport
