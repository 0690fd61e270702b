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

/// How many letters lie in the first box that an ORB with these options has sent to, after three calls that nobody
/// answers. A call whose time is over before it comes to that puts none.
int letters_after_three_calls(const std::vector<std::string>& more) {
  using namespace corbel;
  const auto factory = make_mailbox();
  const auto acceptor = *factory->listen(**factory->parse("nobody"), {});
  std::vector<std::string> options{"-ORBCallTimeout", "50"};
  options.insert(options.end(), more.begin(), more.end());
  const auto orb = make_orb("calling nobody", factory, options);
  const auto object = orb->string_to_object("corbaloc:mailbox:nobody/key");
  for (int call = 0; call < 3; ++call) EXPECT_THROW(object->_non_existent(), CORBA::SystemException);
  const auto first = acceptor->accept();
  std::vector<base::Octet> room(4096);
  int count = 0;
  while (first && (*first)->receive(room, base::Deadline::now())) ++count;
  orb->destroy();
  return count;
}

/// Again while there are fewer than `wanted`, as a busy machine makes them.
int most_letters(int wanted, const std::vector<std::string>& more) {
  int count = 0;
  for (int tries = 0; tries < 20 && count < wanted; ++tries) count = letters_after_three_calls(more);
  return count;
}

TEST(Mailbox, KeepsAsManyLettersAsItsOrbWasTold) {
  EXPECT_EQ(most_letters(1, {"-ORBMailboxLetters", "1"}), 1);
  EXPECT_EQ(most_letters(2, {"-ORBMailboxLetters=2"}), 2);
  EXPECT_GE(most_letters(3, {}), 3);
}

}  // namespace
}  // namespace carriers

CORBEL_TRANSPORT_CONFORMANCE(Mailbox, carriers::mailboxes())
