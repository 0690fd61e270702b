// SPDX-License-Identifier: Apache-2.0
#include "mailbox.hpp"

#include "calls.hpp"
#include "conformance/transport_conformance.hpp"

namespace carriers {
namespace {

std::vector<corbel::conformance::Carrier> mailboxes() {
  corbel::conformance::Carrier mailbox{.name = "mailbox", .make = make_mailbox, .listen = ""};
  mailbox.spelled = {{"name", "name"}, {"a/b", "a/b"}};
  mailbox.bad = {"white space", "line\nbreak"};
  return {mailbox};
}

TEST(Mailbox, CarriesCalls) {
  call_over(make_mailbox(), "mailbox://letters");
}

}  // namespace
}  // namespace carriers

CORBEL_TRANSPORT_CONFORMANCE(Mailbox, carriers::mailboxes())
