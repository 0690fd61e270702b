// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "corbel/base/deadline.hpp"
#include "corbel/bridge/signature.hpp"

namespace corbel::bridge {

/// How a bridge works. A value.
struct Settings {
  /// References made for what messages carried, at most. When there are as many, one that has not been used for long
  /// makes room; calls to it then end with OBJECT_NOT_EXIST.
  std::size_t references = 16384;
  std::size_t reference_octets = 8192;                        ///< of one of these as CDR, at most
  base::Duration call_timeout = std::chrono::seconds(60);     ///< longest wait for a reply; 0: unbounded
  base::Duration connect_timeout = std::chrono::seconds(10);  ///< longest wait for a connection; 0: unbounded
  /// For so long a thread waits for the reply to a request that it has sent, before it leaves: nearly all are there by
  /// then, and a thread that waits is cheaper than one that is woken. 0: it does not.
  base::Duration in_place = std::chrono::milliseconds(2);
  std::uint32_t bridges = 16;  ///< that a request may pass, this one included; then they lead in a circle
  std::shared_ptr<const Signatures> signatures = {};  ///< null: references in messages stay as they are
  /// A check: reads and writes also those bodies by their types that could go octet for octet. Of operations that
  /// `signatures` does not know, only system exceptions.
  bool by_types = false;
};

/// What was done so far.
struct Counts {
  std::uint64_t forwarded = 0;   ///< requests that were sent on
  std::uint64_t by_types = 0;    ///< bodies that were read and written by their types; the others went octet for octet
  std::uint64_t failed = 0;      ///< requests that the bridge answered with an exception of its own
  std::uint64_t cancelled = 0;   ///< requests whose clients cancelled them, or went
  std::uint64_t under_way = 0;   ///< requests that wait for their answers now
  std::uint64_t references = 0;  ///< in the table now
};

}  // namespace corbel::bridge
