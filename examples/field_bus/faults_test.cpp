// SPDX-License-Identifier: Apache-2.0
// Terminals that are silent, lie or babble: they lose what is theirs, and nobody else does.
#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "processes.hpp"
#include "raw_terminal.hpp"

namespace field_bus {
namespace {

using namespace std::chrono_literals;
using corbel::base::Bytes;
using corbel::base::Code;
using corbel::base::Deadline;
using corbel::transport::Transport;

/// Two processes that talk, and go on talking whatever others do.
class Bystanders {
 public:
  explicit Bystanders(const TestBus& bus) : acceptor_(there_.listen(bus.at(1))) {
    client_ = *here_.connect(bus.at(1));
    server_ = Process::accept(*acceptor_);
  }
  void talk() {
    Bytes room(kLargestMessage);
    const Bytes octets(3000, 7);
    for (int turn = 0; turn < 3; ++turn) {
      ASSERT_TRUE(send(*client_, octets));
      ASSERT_TRUE(server_->receive(room, Deadline::after(kPatience)));
      ASSERT_TRUE(send(*server_, octets));
      ASSERT_TRUE(client_->receive(room, Deadline::after(kPatience)));
    }
  }

 private:
  Process here_, there_;
  std::unique_ptr<corbel::transport::Acceptor> acceptor_;
  std::unique_ptr<Transport> client_, server_;
};

BusSettings impatient() {
  BusSettings settings = quick();
  settings.response = 1ms;
  settings.silence = 3s;
  return settings;
}

// --- terminals ---

/// What becomes of a conversation with a terminal that falls silent; nothing if that could not begin.
struct AfterSilence {
  std::optional<Code> end, sending, connecting;
  std::uint64_t late = 0;
};

AfterSilence fall_silent(const TestBus& bus) {
  AfterSilence after;
  const Process process;
  RawTerminal silent(bus.path, 9);
  corbel::base::Result<std::unique_ptr<Transport>> transport(nullptr);
  std::thread connecting([&] { transport = process.connect(bus.at(9)); });
  (void)silent.accept_any();
  connecting.join();
  if (!transport) return after;
  // From here on it is polled and does not answer.
  after.end = end_of(**transport);
  if (const auto sent = send(**transport, Bytes(1)); !sent) after.sending = sent.error().code;
  if (const auto again = process.connect(bus.at(9)); !again) after.connecting = again.error().code;
  after.late = bus.controller->counts().late;
  return after;
}

TEST(FieldBusFaults, ATerminalThatFallsSilentIsLostAndNobodyElse) {
  AfterSilence after;
  const auto is_lost_alone = [&] {
    return after.end == Code::lost && after.sending == Code::lost && after.connecting == Code::refused;
  };
  // Again if a busy machine has made a terminal silent that was not to be.
  for (int tries = 0; tries < 5 && !is_lost_alone(); ++tries) {
    after = fall_silent(TestBus("silent" + std::to_string(tries), impatient()));
  }
  EXPECT_EQ(after.end, Code::lost);
  EXPECT_EQ(after.sending, Code::lost);
  EXPECT_EQ(after.connecting, Code::refused);
  EXPECT_GE(after.late, 1U);
}

TEST(FieldBusFaults, OthersTalkWhileATerminalIsSilent) {
  const TestBus bus("others");  // silence of 60 s: the silent one is not gone before the others are done
  Bystanders bystanders(bus);
  RawTerminal silent(bus.path, 9);
  bystanders.talk();
  EXPECT_EQ(bus.controller->counts().gone, 0U);
}

TEST(FieldBusFaults, ATerminalThatLeavesIsLost) {
  const TestBus bus("leaves");
  const Process process;
  std::unique_ptr<Transport> transport;
  {
    RawTerminal leaving(bus.path, 9);
    std::thread connecting([&] { transport = *process.connect(bus.at(9)); });
    leaving.accept();
    connecting.join();
  }
  EXPECT_EQ(end_of(*transport), Code::lost);
}

TEST(FieldBusFaults, WhoSaysWhatMakesNoSenseToTheControllerIsCutOff) {
  const TestBus bus("nonsense");
  Bystanders bystanders(bus);
  Packet long_one(Command::transmit, 1);
  while (long_one.count < long_one.words.size()) long_one.add(0);
  Bytes longer(long_one.octets().begin(), long_one.octets().end());
  longer.resize(longer.size() + 2);
  Bytes odd = longer;
  odd.resize(7);
  Packet without_data(Command::transmit, 1);
  Packet to_nobody(Command::transmit, 77);
  to_nobody.add(1);
  const auto octets = [](const Packet& packet) { return Bytes(packet.octets().begin(), packet.octets().end()); };
  std::uint64_t malformed = 0;
  for (const Bytes& said :
       {longer, odd, Bytes(1), Bytes(500), octets(without_data), octets(to_nobody), octets(Packet(Command::attach, 3)),
        octets(Packet(Command::nothing, 1)), octets(Packet(static_cast<Command>(99)))}) {
    RawTerminal terminal(bus.path, 9);
    ASSERT_TRUE(terminal.is_welcome()) << "its place is free again";
    for (Packet packet = terminal.next(); !packet.is(Command::poll); packet = terminal.next()) {
    }
    terminal.say(said);
    EXPECT_TRUE(terminal.is_cut_off());
    EXPECT_EQ(bus.controller->counts().malformed, ++malformed);
  }
  bystanders.talk();
}

TEST(FieldBusFaults, AMessageOfMoreWordsThanTheBusHasCutsOff) {
  BusSettings settings = quick();
  settings.words = 8;
  const TestBus bus("words", settings);
  RawTerminal terminal(bus.path, 9);
  EXPECT_EQ(terminal.words(), 8U);
  Packet packet(Command::transmit, 9);
  while (packet.data().size() < 8) packet.add(0);
  terminal.say_when_polled(packet);
  EXPECT_EQ(terminal.next_message().data().size(), 8U) << "it has told itself";
  packet.add(0);
  terminal.say_when_polled(packet);
  EXPECT_TRUE(terminal.is_cut_off());
}

/// What a terminal that has opened a conversation with a server may say in it that is not to be said.
TEST(FieldBusFaults, WhoBreaksTheRulesOfAConversationLosesItAndNobodyElse) {
  const TestBus bus("rules");
  Bystanders bystanders(bus);
  const Process process;
  const auto acceptor = process.listen(bus.at(2));
  const Bytes full(60), two(2, 0xff), five(5);
  const auto nothing = Piece{.purpose = Purpose::data, .of_opener = true, .last = true, .number = 7};
  const auto credit = [&](const Bytes& octets) {
    return Piece{.purpose = Purpose::credit, .of_opener = true, .last = true, .number = 7, .octets = octets};
  };
  const auto endless = Piece{.purpose = Purpose::data, .of_opener = true, .last = false, .number = 7, .octets = full};
  const auto flood = Piece{.purpose = Purpose::data, .of_opener = true, .last = true, .number = 7, .octets = full};
  for (const Piece& piece : {nothing, credit(two), credit(five), credit(Bytes{}), endless, flood}) {
    SCOPED_TRACE(static_cast<int>(piece.purpose));
    RawTerminal liar(bus.path, 9);
    liar.say_piece(2, {.purpose = Purpose::open, .of_opener = true, .last = true, .number = 7});
    ASSERT_TRUE(liar.is_welcome());
    const auto answer = read_piece(liar.next_message().data());
    ASSERT_TRUE(answer && answer->purpose == Purpose::accept);
    const auto server = Process::accept(*acceptor);
    // As often as a window or a message may hold, and once more. It is not read before the end: that opens the window.
    const bool many = piece.octets.size() == full.size();
    const std::size_t most = piece.last ? 2 * kLargestMessage : kLargestMessage;
    const std::size_t times = many ? most / full.size() + 1 : 1;
    for (std::size_t i = 0; i < times; ++i) liar.say_piece(2, piece);
    const auto end = read_piece(liar.next_message().data());
    EXPECT_TRUE(end && end->purpose == Purpose::reset);
    EXPECT_EQ(end_of(*server), Code::lost);
  }
  bystanders.talk();
}

TEST(FieldBusFaults, WordsThatAreNoPieceLoseTheTerminalThatSaidThem) {
  const TestBus bus("pieces");
  Bystanders bystanders(bus);
  const Process process;
  const auto acceptor = process.listen(bus.at(2));
  for (const std::uint16_t head : std::initializer_list<std::uint16_t>{0xffff, 0x5002, 0x5005, 0x9000}) {
    RawTerminal liar(bus.path, 9);
    liar.say_piece(2, {.purpose = Purpose::open, .of_opener = true, .last = true, .number = 7});
    liar.next_message();
    const auto server = Process::accept(*acceptor);
    Packet packet(Command::transmit, 2);
    packet.add(7);
    packet.add(head);
    packet.add(0);
    packet.add(0);
    liar.say_when_polled(packet);
    EXPECT_EQ(end_of(*server), Code::lost);
  }
  bystanders.talk();
}

TEST(FieldBusFaults, AMessageThatEndsInTheMiddleIsLostNotShortened) {
  const TestBus bus("half");
  const Process process;
  const auto acceptor = process.listen(bus.at(2));
  RawTerminal liar(bus.path, 9);
  liar.say_piece(2, {.purpose = Purpose::open, .of_opener = true, .last = true, .number = 7});
  const auto server = Process::accept(*acceptor);
  const Bytes full(60);
  liar.say_piece(2, {.purpose = Purpose::data, .of_opener = true, .last = false, .number = 7, .octets = full});
  liar.say_piece(2, {.purpose = Purpose::end, .of_opener = true, .last = true, .number = 7});
  Bytes room(kLargestMessage);
  EXPECT_EQ(server->receive(room, Deadline::after(kPatience)).error().code, Code::lost);
}

TEST(FieldBusFaults, CallsThatNobodyTakesAreBounded) {
  const TestBus bus("calls");
  const Process process;
  const auto acceptor = process.listen(bus.at(2), 3);
  RawTerminal caller(bus.path, 9);
  int accepted = 0;
  for (std::uint16_t number = 0; number < 100; ++number) {
    caller.say_piece(2, {.purpose = Purpose::open, .of_opener = true, .last = true, .number = number});
    const auto answer = read_piece(caller.next_message().data());
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->number, number);
    accepted += answer->purpose == Purpose::accept ? 1 : 0;
    EXPECT_EQ(answer->purpose, number < 3 ? Purpose::accept : Purpose::busy);
  }
  EXPECT_EQ(accepted, 3);
}

TEST(FieldBusFaults, ThoseWhoComeAndSayNothingKeepNobodyOut) {
  const TestBus bus("mute", impatient());
  std::vector<corbel::ipc::PacketStream> mute;
  for (int i = 0; i < 20; ++i) {
    auto socket = corbel::ipc::PacketConnector().connect(address_of(bus.path), Deadline::after(kPatience));
    ASSERT_TRUE(socket);
    mute.push_back(*std::move(socket));
  }
  bool welcome = false;
  // Again if a busy machine has kept this one mute for so long, too.
  for (int tries = 0; tries < 5 && !welcome; ++tries) welcome = RawTerminal(bus.path, 9).is_welcome();
  EXPECT_TRUE(welcome);
}

/// Words of which some make sense: heads and commands are likely to be right.
Packet likely(std::uint32_t& state, Command command, unsigned address) {
  const auto next = [&](std::uint32_t below) {
    state = state * 1664525U + 1013904223U;
    return (state >> 8U) % below;
  };
  Packet packet(command, next(20) == 0 ? next(40) : address);
  const std::size_t words = 1 + next(8) * 4;
  packet.add(static_cast<std::uint16_t>(7 + next(3)));
  const std::size_t octets = next(10) == 0 ? next(100) : 2 * (words - 1);
  packet.add(static_cast<std::uint16_t>(next(9) << 12U | next(4) << 10U | octets));
  while (packet.data().size() < words + 1) packet.add(static_cast<std::uint16_t>(next(65536)));
  return packet;
}

TEST(FieldBusFaults, SurvivesWhatTerminalsSay) {
  const TestBus bus("random");
  Bystanders bystanders(bus);
  const Process process;
  const auto acceptor = process.listen(bus.at(2), 4);
  std::uint32_t state = 1;
  std::vector<std::unique_ptr<Transport>> taken;
  for (int round = 0; round < 40; ++round) {
    RawTerminal liar(bus.path, 9);
    ASSERT_TRUE(liar.is_welcome());
    for (int i = 0; i < 50; ++i) liar.say_when_polled(likely(state, Command::transmit, 2));
    for (auto next = acceptor->accept(); next; next = acceptor->accept()) taken.push_back(*std::move(next));
    if (taken.size() > 2) taken.erase(taken.begin());
    Bytes room(kLargestMessage);
    for (const auto& transport : taken) (void)transport->receive(room, Deadline::now()).ok();
  }
  bystanders.talk();
}

TEST(FieldBusFaults, ABusHasThirtyOnePlaces) {
  const TestBus bus("full");
  std::vector<std::unique_ptr<RawTerminal>> all;
  for (unsigned i = 0; i < kTerminals; ++i) {
    all.push_back(std::make_unique<RawTerminal>(bus.path, i % 2 == 0 ? kAnyAddress : i / 2));
    EXPECT_TRUE(all.back()->is_welcome()) << i;
  }
  EXPECT_FALSE(RawTerminal(bus.path, kAnyAddress).is_welcome());
  const Process process;
  EXPECT_EQ(process.connect(bus.at(1)).error().code, Code::address_in_use);
}

TEST(FieldBusFaults, WhoHasMuchToSayHasAShareLikeAnyOther) {
  BusSettings settings = quick();
  settings.response = 60s;  // nobody's turn is passed over because the host is slow
  const TestBus bus("share", settings);
  Packet packet(Command::transmit, 30);
  packet.add(0);
  std::mutex mutex;
  std::string order;
  const auto babble = [&](RawTerminal& terminal, char name) {
    if (!terminal.await_poll()) return;
    {
      const std::lock_guard lock(mutex);
      order += name;
    }
    terminal.say(packet);
  };
  std::atomic<bool> stop{false};
  RawTerminal first(bus.path, 1);
  std::thread babbling([&] {
    while (!stop) babble(first, '1');
  });
  {
    RawTerminal second(bus.path, 2);
    for (int i = 0; i < 50; ++i) babble(second, '2');
    stop = true;
  }
  babbling.join();
  const std::size_t begin = order.find('2');
  ASSERT_NE(begin, std::string::npos);
  ASSERT_GE(order.size(), begin + 99) << order;
  for (std::size_t i = begin; i + 1 < begin + 99; ++i) EXPECT_NE(order[i], order[i + 1]) << "both at poll " << i;
}

}  // namespace
}  // namespace field_bus
