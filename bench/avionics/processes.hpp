// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <corbel/bridge/bridge.hpp>
#include <corbel/corbel.hpp>

#include <atomic>
#include <string>
#include <vector>

#include "avionics/flow.hpp"
#include "avionics_server.hpp"

namespace avionics {

using Orb = IDL::traits<CORBA::ORB>::ref_type;

inline constexpr std::size_t kBlockSize = 256U << 10U;  // of the bulk transfer

/// An ORB with -ORB options, destroyed with this object; what it serves is active at once.
class Serving {
 public:
  Serving(const std::string& id, const std::vector<std::string>& options);
  Serving(const std::string& id, const std::vector<std::string>& options, const corbel::orb::Components& components);
  ~Serving();
  Serving(const Serving&) = delete;
  Serving& operator=(const Serving&) = delete;

  const Orb& orb() const { return orb_; }
  /// The reference to a new object, as text.
  std::string add(IDL::traits<PortableServer::Servant>::ref_type servant);

 private:
  Orb orb_;
  IDL::traits<PortableServer::POA>::ref_type poa_;
};

/// Waits until the standard input ends.
void await_end_of_input();

/// The remote terminal as a process, at `endpoint` of the field bus that `plugin` brings: says its reference, ends with
/// its input.
int terminal_main(const std::string& plugin, const std::string& endpoint);
/// Board B as a process, which knows nothing of the field bus: `terminal` leads through the bridge on board A. Says
/// "ready", reads when the sortie begins (nanoseconds of the host's clock) and how long it is, and says what came of
/// its flows.
int board_b_main(const std::string& terminal, const std::string& board_a);

/// Board A, in this process: it has the terminal at its bus, the bridge for board B, and takes the bulk transfer.
class BoardA {
 public:
  /// `plugin`: the field bus's; `terminal`: a reference to the one on the bus.
  BoardA(const std::string& plugin, const std::string& terminal);
  ~BoardA();
  BoardA(const BoardA&) = delete;
  BoardA& operator=(const BoardA&) = delete;

  const std::string& bridged_terminal() const { return bridged_; }
  const std::string& reference() const { return reference_; }
  /// Its own flow, on the calling thread.
  Flow fly(const Sortie& sortie);
  Avionics::Tally tally();
  corbel::bridge::Counts forwarded() const { return bridge_.counts(); }

  /// Blocks of the bulk transfer that have come.
  std::uint64_t blocks() const { return received_.blocks; }
  /// Blocks and attitudes that were not what they should be.
  std::uint64_t wrong() const { return received_.wrong; }

 private:
  class Servant;
  struct Received {
    std::atomic<std::uint64_t> blocks{0};
    std::atomic<std::uint64_t> wrong{0};
  };

  Received received_;
  corbel::bridge::Bridge bridge_;
  Serving board_;
  Serving bridging_;
  IDL::traits<Avionics::RemoteTerminal>::ref_type terminal_;
  std::string bridged_;
  std::string reference_;
};

}  // namespace avionics
