// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "corbel/base/bytes.hpp"

namespace corbel::cdr {

/// The end of a message that was received apart from what comes before it: as far as could be told from there, it is
/// the elements of one last sequence. That sequence then takes the memory over, and nothing is copied; for everything
/// else Decoder puts both parts together. The owner keeps it as long as a decoder may need it.
struct Rest {
  base::Bytes octets;
  /// The octets, if they lie in memory that another process lends and may change meanwhile: `octets` is empty then.
  /// They are shown to views, and copied before anything else looks at them.
  base::ConstByteSpan lent;
  /// So many of the octets, the first ones, did not come: room for elements of the sequence that came before the rest.
  std::size_t lead = 0;
  /// The whole message, if a decoder needed it in one piece.
  base::Bytes whole;
  base::ConstByteSpan came() const noexcept { return lent.empty() ? base::ConstByteSpan(octets).subspan(lead) : lent; }
  /// Before the whole message, of so many octets, is put together: false if its memory is not to be had.
  virtual bool pay_for_whole(std::size_t size) = 0;
  /// A decoder has given the octets away; what is in `octets` now is memory that is not needed any more.
  virtual void given_away() noexcept = 0;

 protected:
  ~Rest() = default;
};

}  // namespace corbel::cdr
