// SPDX-License-Identifier: Apache-2.0
// Code as an application has it that was written for another implementation of the mapping: nothing here but names of
// the OMG's.
#include "support.hpp"

namespace {

/// Asks for several things at once and takes the answers as they come.
std::vector<std::string> gather(IDL::traits<Async::Peer>::ref_type peer, const std::vector<std::string>& questions) {
  std::vector<std::string> answers;
  IDL::traits<CORBA::PollableSet>::ref_type pending;
  for (const auto& question : questions) {
    IDL::traits<Async::AMI_PeerPoller>::ref_type poller = peer->sendp_echo(question);
    if (!pending) {
      pending = poller->create_pollable_set();
    } else {
      pending->add_pollable(poller);
    }
  }
  try {
    while (pending->number_left() > 0) {
      IDL::traits<CORBA::Pollable>::ref_type ready = pending->get_ready_pollable(100'000);
      auto poller = IDL::traits<Async::AMI_PeerPoller>::narrow(ready);
      std::string answer;
      poller->echo(0, answer);
      answers.push_back(answer);
    }
  } catch (const CORBA::PollableSet::NoPossiblePollable&) {
  } catch (const CORBA::TIMEOUT&) {
  }
  return answers;
}

/// Does something else until the answer is there.
std::int32_t work_until(IDL::traits<Async::Peer>::ref_type peer, int& worked) {
  Async::AMI_PeerPoller::_ref_type poller = peer->sendp_split("left|right", '|', "");
  while (!poller->is_ready(0)) ++worked;
  std::int32_t place = 0;
  std::string head;
  std::string tail;
  try {
    poller->split(0xFFFFFFFF, place, head, tail);
  } catch (const Async::Refused&) {
    return -1;
  } catch (const CORBA::WrongTransaction&) {
    return -2;
  } catch (const CORBA::SystemException&) {
    return poller->is_from_poller() ? -3 : -4;
  }
  return place;
}

TEST(PortableCode, Gathers) {
  corbel::async_test::World world;
  auto answers = gather(world.echo, {"what", "when", "who"});
  std::sort(answers.begin(), answers.end());
  EXPECT_EQ(answers, (std::vector<std::string>{"what", "when", "who"}));
}

TEST(PortableCode, Works) {
  corbel::async_test::World world;
  int worked = 0;
  EXPECT_EQ(work_until(world.echo, worked), 4);
}

}  // namespace
