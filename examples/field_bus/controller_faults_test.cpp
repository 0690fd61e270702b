// SPDX-License-Identifier: Apache-2.0
// Controllers that die, lie or do nothing, and ends while things run.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "../carriers/calls.hpp"
#include "processes.hpp"
#include "raw_terminal.hpp"

namespace field_bus {
namespace {

using namespace std::chrono_literals;
using corbel::base::Bytes;
using corbel::base::Code;
using corbel::base::Deadline;
using corbel::base::Octet;
using corbel::transport::Transport;

TEST(FieldBusFaults, WhenTheControllerGoesEverybodyHearsOfItAndListenersComeBack) {
  TestBus bus("controller");
  const Process here, there;
  const auto acceptor = there.listen(bus.at(2));
  const auto client = *here.connect(bus.at(2));
  const auto server = Process::accept(*acceptor);
  std::thread waiting([&] { EXPECT_EQ(end_of(*client), Code::lost); });
  bus.controller.reset();
  waiting.join();
  EXPECT_EQ(end_of(*server), Code::lost);
  EXPECT_EQ(send(*server, Bytes(1)).error().code, Code::lost);
  EXPECT_FALSE(here.connect(bus.at(2))) << "there is no bus";
  bus.controller = *Controller::start(bus.path, quick());
  auto again = here.connect(bus.at(2));
  for (const Deadline patience = Deadline::after(kPatience); !again && !patience.expired();
       again = here.connect(bus.at(2))) {
    std::this_thread::yield();
  }
  ASSERT_TRUE(again);
  const auto accepted = Process::accept(*acceptor);
  ASSERT_TRUE(send(**again, Bytes(100)));
  Bytes room(kLargestMessage);
  EXPECT_TRUE(accepted->receive(room, Deadline::after(kPatience)));
}

/// A reference to an object of a server that has been at `endpoint`.
std::string reference_to(const std::string& endpoint) {
  const auto server =
      carriers::make_orb("server", nullptr, {"-ORBLoad", FIELD_BUS_PLUGIN, "-ORBListenEndpoints", endpoint});
  const auto poa = IDL::traits<PortableServer::POA>::narrow(server->resolve_initial_references("RootPOA"));
  std::string reference = server->object_to_string(poa->create_reference("IDL:Nothing:1.0"));
  server->destroy();
  return reference;
}

TEST(FieldBusFaults, ACallUnderWayEndsWithCommFailureWhenTheControllerGoes) {
  TestBus bus("call");
  const std::vector<std::string> options{"-ORBLoad", FIELD_BUS_PLUGIN, "-ORBCallTimeout", "0"};
  const auto client = carriers::make_orb("caller", nullptr, options);
  const auto object = client->string_to_object(reference_to("field_bus://" + bus.at(4)));
  // A server that takes the request and does not answer.
  RawTerminal server(bus.path, 4);
  ASSERT_TRUE(server.is_welcome());
  std::thread calling([&] { EXPECT_THROW(object->_non_existent(), CORBA::COMM_FAILURE); });
  server.accept();
  while (read_piece(server.next_message().data())->purpose != Purpose::data) {
  }
  bus.controller.reset();
  calling.join();
  client->destroy();
}

TEST(FieldBusFaults, AControllerThatMakesNoSenseIsLeft) {
  const std::string path = "@corbel-field-bus-false-" + std::to_string(::getpid());
  auto listener = *corbel::ipc::PacketAcceptor::open(address_of(path));
  const Process process;
  for (const bool welcome : {false, true}) {
    std::thread lying([&] {
      auto socket = *listener.accept(Deadline::after(kPatience));
      EXPECT_TRUE(receive_packet(socket, Deadline::after(kPatience)));
      Packet packet(welcome ? Command::attached : Command::gone, 3);
      packet.add(welcome ? 32 : 1);
      EXPECT_TRUE(socket.send(packet.octets()));
      if (welcome) {
        EXPECT_TRUE(socket.send(Bytes(333)));
      }
      Octet room = 0;
      EXPECT_FALSE(socket.recv({&room, 1}, Deadline::after(kPatience)));
    });
    EXPECT_FALSE(process.connect(path + "/1"));
    lying.join();
  }
}

TEST(FieldBusFaults, AControllerThatDoesNothingCostsNoMoreThanTheDeadline) {
  const std::string path = "@corbel-field-bus-idle-" + std::to_string(::getpid());
  const auto listener = *corbel::ipc::PacketAcceptor::open(address_of(path));
  const Process process;
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(process.connect(path + "/1", Deadline::after(50ms)).error().code, Code::timed_out);
}

/// Welcomes whoever comes, and says what may or may not make sense.
void lie(corbel::ipc::PacketAcceptor& listener, const std::atomic<bool>& stop) {
  std::uint32_t state = 1;
  const auto next = [&](std::uint32_t below) {
    state = state * 1664525U + 1013904223U;
    return (state >> 8U) % below;
  };
  while (!stop) {
    auto socket = listener.accept(Deadline::after(20ms));
    if (!socket) continue;
    Packet welcome(Command::attached, 3);
    welcome.add(static_cast<std::uint16_t>(kPieceWords + 1 + next(30)));
    (void)socket->send(welcome.octets()).ok();
    for (int i = 0; i < 100; ++i) {
      const Command sensible = next(2) == 0 ? Command::poll : Command::receive;
      Packet packet(next(50) == 0 ? static_cast<Command>(next(12)) : sensible, next(32));
      packet.add(static_cast<std::uint16_t>(1 + next(3)));
      packet.add(static_cast<std::uint16_t>(next(9) << 12U | next(4) << 10U | next(8)));
      while (packet.count < 4 + next(6)) packet.add(static_cast<std::uint16_t>(next(65536)));
      if (!socket->send(packet.octets())) break;
      while (receive_packet(*socket, Deadline::now())) {
      }
    }
  }
}

TEST(FieldBusFaults, SurvivesWhatControllersSay) {
  const std::string path = "@corbel-field-bus-liar-" + std::to_string(::getpid());
  auto listener = *corbel::ipc::PacketAcceptor::open(address_of(path));
  std::atomic<bool> stop{false};
  std::thread lying([&] { lie(listener, stop); });
  for (int round = 0; round < 30; ++round) {
    const Process process;
    const auto acceptor = process.factory->listen(**process.factory->parse(path + "/3"), {});
    const auto client = process.connect(path + "/1", Deadline::after(20ms));
    if (!acceptor) continue;
    for (auto taken = (*acceptor)->accept(); taken; taken = (*acceptor)->accept()) {
    }
  }
  stop = true;
  lying.join();
}

// --- ends ---

TEST(FieldBusFaults, AChildOfForkLeavesTheTerminalToItsParent) {
  const TestBus bus("fork");
  const Process here;
  auto there = std::make_unique<Process>();
  auto acceptor = there->listen(bus.at(2));
  auto client = *here.connect(bus.at(2));
  auto server = Process::accept(*acceptor);
  int status = -1;
  // The allocator of a sanitizer may be locked for ever in the child of a process with threads: then another child.
  for (int tries = 0; tries < 4; ++tries) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {  // all that it has goes, and nobody hears of it
      client.reset();
      server.reset();
      acceptor.reset();
      there.reset();
      ::_exit(0);
    }
    const Deadline patience = Deadline::after(20s);
    pid_t ended = ::waitpid(child, &status, WNOHANG);
    for (; ended == 0 && !patience.expired(); ended = ::waitpid(child, &status, WNOHANG)) {
      std::this_thread::sleep_for(1ms);
    }
    if (ended == child) break;
    ::kill(child, SIGKILL);
    EXPECT_EQ(::waitpid(child, &status, 0), child);
  }
  EXPECT_EQ(status, 0);
  ASSERT_TRUE(send(*client, Bytes(100)));
  Bytes room(kLargestMessage);
  EXPECT_TRUE(server->receive(room, Deadline::after(kPatience)));
}

TEST(FieldBusFaults, WhatWasSentBeforeEverythingGoesStillArrives) {
  const TestBus bus("linger");
  const Process there;
  const auto acceptor = there.listen(bus.at(2));
  std::unique_ptr<Transport> server;
  {
    const Process here;
    const auto client = *here.connect(bus.at(2));
    server = Process::accept(*acceptor);
    ASSERT_TRUE(send(*client, Bytes(kLargestMessage, 5)));
  }
  Bytes room(kLargestMessage);
  const auto received = server->receive(room, Deadline::after(kPatience));
  ASSERT_TRUE(received);
  EXPECT_EQ(room, Bytes(kLargestMessage, 5));
  EXPECT_EQ(end_of(*server), Code::closed);
}

TEST(FieldBusFaults, EndsWhileItComesBack) {
  for (int round = 0; round < 8; ++round) {
    TestBus bus("back" + std::to_string(round));
    auto process = std::make_unique<Process>();
    auto acceptor = process->listen(bus.at(2));
    bus.controller.reset();
    auto listener = *corbel::ipc::PacketAcceptor::open(address_of(bus.path));
    auto socket = *listener.accept(Deadline::after(kPatience));
    ASSERT_TRUE(receive_packet(socket, Deadline::after(kPatience)));
    std::atomic<bool> begun{false};
    std::thread leaving([&] {
      begun = true;
      acceptor.reset();
      process.reset();
    });
    while (!begun) std::this_thread::yield();
    for (int i = 0; i < round * 100; ++i) std::this_thread::yield();
    Packet welcome(Command::attached, 2);
    welcome.add(32);
    (void)socket.send(welcome.octets()).ok();
    leaving.join();  // although this controller says nothing more, and does not close
  }
}

TEST(FieldBusFaults, EndsWhileEverythingRuns) {
  for (int round = 0; round < 10; ++round) {
    TestBus bus("ends" + std::to_string(round));
    const Process there;
    auto acceptor = there.listen(bus.at(2));
    std::atomic<int> running{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&, i] {
        const Process here;
        const auto client = here.connect(bus.at(2));
        ++running;
        if (!client) return;
        const Bytes octets(static_cast<std::size_t>(1000 * (i + 1)));
        while (send(**client, octets)) {
        }
      });
    }
    std::vector<std::unique_ptr<Transport>> servers;
    for (int i = 0; i < 4; ++i) servers.push_back(Process::accept(*acceptor));
    while (running < 4) std::this_thread::yield();
    // One goes in order, one with its acceptor, the others with the bus.
    servers[0].reset();
    servers[1]->shutdown();
    if (round % 2 == 0) acceptor.reset();
    bus.controller.reset();
    for (auto& thread : threads) thread.join();
  }
}

}  // namespace
}  // namespace field_bus
