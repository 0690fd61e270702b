// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <random>

#include "corbel/transport/shm/test_support.hpp"

// What peers may do to memory that is lent.
namespace corbel::transport::shm_tests {
namespace {

constexpr std::size_t kHeader = 4096;

/// A client that has its hands on all memory.
struct HostileClient {
  Intruder intruder;
  ipc::SharedMemory lent;
  ipc::RingProducer out;

  explicit HostileClient(Intruder with) : intruder(std::move(with)) {
    out = *ipc::RingProducer::attach(intruder.memory.bytes().first(kArea));
  }
  shm::SharedSlots& shared() const { return *reinterpret_cast<shm::SharedSlots*>(lent.bytes().data()); }
  void pass(int handle) {
    const base::Octet octet[1] = {0};
    const int handles[] = {handle};
    EXPECT_TRUE(ipc::send_with(intruder.socket, octet, {.handles = handles}, soon()));
  }
  void lend(std::size_t size = kHeader + kLeastLent) {
    lent = *ipc::SharedMemory::create(size);
    pass(lent.handle());
    out.set_note(1);
  }
  void say(std::uint32_t position, std::uint32_t slot, std::uint32_t begin, std::uint32_t size) {
    auto& piece = shared().pieces[shared().sent % shm::SharedSlots::kPieces];
    piece.position = position;
    piece.slot = slot;
    piece.begin = begin;
    piece.size = size;
    ++shared().sent;
    EXPECT_TRUE(out.send_n(base::as_bytes("x")));
  }
};

TEST_F(ShmLent, NotesThatNameNoMemoryEndTheConnection) {
  const std::uint32_t all = kLeastLent;
  const struct {
    std::uint32_t slot, begin, size;
    bool possible;
  } cases[] = {{0, 0, all, true},         {63, all - 1, 1, true},      {64, 0, 1, false},  {0xffffffff, 0, 1, false},
               {0, 0, 0, false},          {0, 0, all + 1, false},      {0, all, 1, false}, {0, 1, all, false},
               {0, 0xffffffff, 2, false}, {0, 4096, 0xffffffff, false}};
  for (const auto& each : cases) {
    auto [server, intruder] = intruded();
    HostileClient client(std::move(intruder));
    client.lend();
    client.say(0, each.slot, each.begin, each.size);
    if (each.possible) {
      EXPECT_TRUE(take_lent(*server, each.size));
    } else {
      EXPECT_FALSE(take_lent(*server, each.size));
      EXPECT_EQ(server->receive(room_, soon()).error().code, Code::malformed) << each.slot << ' ' << each.begin;
    }
  }
}

TEST_F(ShmLent, MoreNotesThanThereAreEndTheConnection) {
  auto [server, intruder] = intruded();
  HostileClient client(std::move(intruder));
  client.lend();
  client.shared().sent = 100;
  client.say(0, 0, 0, 10);
  EXPECT_EQ(server->receive(room_, soon()).error().code, Code::malformed);
}

TEST_F(ShmLent, NotesForOctetsThatHaveBeenAreOfNoConsequence) {
  auto [server, intruder] = intruded();
  HostileClient client(std::move(intruder));
  client.lend();
  ASSERT_TRUE(client.out.send_n(base::as_bytes("1234")));
  EXPECT_EQ(receive_all(*server, 4).size(), 4U);
  client.say(2, 0, 0, 10);
  EXPECT_FALSE(take_lent(*server, 10));
  EXPECT_EQ(*server->receive(room_, soon()), 1U) << "the octet as it is";
}

TEST_F(ShmLent, MemoryThatIsNoneEndsTheConnection) {
  const auto ends = [&](const std::function<void(HostileClient&)>& act) {
    auto [server, intruder] = intruded();
    HostileClient client(std::move(intruder));
    act(client);
    (void)client.out.send_n(base::as_bytes("x"));
    const auto got = server->receive(room_, soon());
    return !got && (got.error().code == Code::malformed || got.error().code == Code::lost);
  };
  EXPECT_TRUE(ends([](HostileClient& client) { client.out.set_note(1); })) << "none is passed";
  EXPECT_TRUE(ends([](HostileClient& client) { client.lend(kHeader); }));
  EXPECT_TRUE(ends([](HostileClient& client) { client.lend(kHeader + kLeastLent + 4096); }));
  EXPECT_TRUE(ends([](HostileClient& client) { client.lend(kHeader + 2 * kLeastLent); })) << "more than is taken";
  EXPECT_TRUE(ends([](HostileClient& client) {
    client.pass(0);  // not sealed, if it is a file at all
    client.out.set_note(1);
  }));
}

TEST_F(ShmLent, MemoryIsPassedOnce) {
  auto [server, intruder] = intruded();
  HostileClient client(std::move(intruder));
  client.lend();
  client.say(0, 0, 0, 10);
  EXPECT_TRUE(take_lent(*server, 10));
  client.pass(client.lent.handle());
  base::Error end;
  for (int i = 0; i < 10 && end.code != Code::lost; ++i) end = server->receive(room_, Deadline::now()).error();
  EXPECT_EQ(end.code, Code::lost);
}

/// Numbers by chance.
struct Chance {
  std::minstd_rand engine;
  std::uint32_t operator()() { return static_cast<std::uint32_t>(engine()); }
};

/// Everything that a hostile client can do to the memory while the server takes pieces and looks at them.
TEST_F(ShmLent, AScribblingClientEndsConnectionsAndNothingElse) {
  std::minstd_rand random(17);
  for (int round = 0; round < 40; ++round) {
    auto [server, intruder] = intruded();
    HostileClient client(std::move(intruder));
    client.lend();
    std::atomic<bool> done{false};
    std::thread scribbling([&, seed = random()] {
      Chance values{std::minstd_rand(seed)};
      const auto word = [&](const ipc::SharedMemory& memory, std::size_t at) {
        return std::atomic_ref(*reinterpret_cast<std::uint32_t*>(memory.bytes().data() + at));
      };
      while (!done.load()) {
        if (values() % 8 == 0) {
          word(client.intruder.memory, 4 * (values() % 5)).store(values() % 3000);
        } else if (values() % 2 == 0) {
          auto sent = word(client.lent, 0);
          sent.store(sent.load() + values() % 3);
        } else {
          word(client.lent, 4 * (values() % (sizeof(shm::SharedSlots) / 4)))
              .store(values() % 2 == 0 ? values() % 5000 : values() * 2U);
        }
      }
    });
    std::vector<LentMemory> kept;
    std::size_t sum = 0;
    for (std::size_t i = 0; i < 3000; ++i) {
      if (LentMemory taken = take_lent(*server, 1 + i % 4999)) {
        if (!kSeesRaces) {
          for (const base::Octet each : taken.octets()) sum += each;
        }
        kept.push_back(std::move(taken));
        if (kept.size() > 10) kept.erase(kept.begin());
      }
      const auto got = server->receive(room_, Deadline::now());
      if (!got && got.error().code != Code::would_block) break;
      (void)server->pending();
    }
    server->shutdown();
    done = true;
    scribbling.join();
    EXPECT_GE(sum, 0U);
  }
}

TEST_F(ShmLent, AScribblingServerHarmsNoClient) {
  const std::string name = unused_name();
  auto hostile = *ipc::UnixAcceptor::open(*ipc::UnixAddress::abstract(name.substr(1)));
  const auto memory = *ipc::SharedMemory::create(2 * kArea);
  ipc::RingConsumer in = *ipc::RingConsumer::attach(memory.bytes().first(kArea));
  in.set_note(kLeastLent);
  ipc::UnixStream socket;
  std::thread greeting([&] {
    socket = *hostile.accept(soon());
    const int handles[] = {memory.handle()};
    EXPECT_TRUE(ipc::send_with(socket, Greeting().octets(), {.handles = handles}, soon()));
  });
  const auto client = factory_->make_connector()->connect(**factory_->parse(name), {}, soon());
  greeting.join();
  ASSERT_TRUE(client);
  ASSERT_TRUE((*client)->lend(1));
  base::Octet octet[1];
  auto passed = *ipc::recv_with(socket, octet, 1, soon());
  const auto lent = *ipc::SharedMemory::attach(std::move(passed.handles.at(0)), kHeader + kLeastLent);
  std::atomic<bool> done{false};
  std::thread scribbling([&] {
    Chance values{std::minstd_rand(5)};
    std::array<base::Octet, 4096> rubbish;
    while (!done.load()) {
      const std::size_t at = 4 * (values() % (sizeof(shm::SharedSlots) / 4));
      std::atomic_ref(*reinterpret_cast<std::uint32_t*>(lent.bytes().data() + at)).store(values());
      (void)in.recv(rubbish, Deadline::now());
    }
  });
  for (std::size_t i = 0; i < 5000; ++i) {
    const LentMemory one = (*client)->lend(1 + i % 20'000);
    const LentMemory two = (*client)->lend(100);
    if (!one) continue;  // it says that it still looks at everything
    EXPECT_TRUE(
        send_all(**client, {one.octets(), base::as_bytes("between"), one.octets().subspan(1 % one.octets().size())}));
  }
  done = true;
  scribbling.join();
}

}  // namespace
}  // namespace corbel::transport::shm_tests
