// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/plugin.hpp"
#include "mailbox.hpp"

CORBEL_PLUGIN(parts) {
  static const auto mailbox = carriers::make_mailbox();  // one for all ORBs, which are to reach each other
  parts.transports.push_back(mailbox);
}
