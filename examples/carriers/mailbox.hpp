// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "corbel/transport/transport.hpp"

namespace carriers {

/// A transport that keeps messages: letters of up to 4,096 octets between threads of one process, "mailbox://name".
/// Names belong to the factory, so both ends need the same one, or ORBs that were given it. -ORBMailboxLetters: how
/// many letters wait in one direction, at most, of the conversations that an ORB begins.
std::shared_ptr<const corbel::transport::Factory> make_mailbox();

}  // namespace carriers
