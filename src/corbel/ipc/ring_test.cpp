// SPDX-License-Identifier: Apache-2.0
#include "corbel/ipc/ring.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <fstream>
#include <future>
#include <random>
#include <string>
#include <thread>

#include "corbel/ipc/passing.hpp"
#include "corbel/ipc/shared_memory.hpp"
#include "corbel/ipc/test_support.hpp"

namespace corbel::ipc {
namespace {

using base::Code;
using base::Deadline;
using base::Stage;
using testing::pattern;
using testing::soon;
using namespace std::chrono_literals;

constexpr std::size_t kCapacity = 4096;
constexpr std::size_t kArea = RingEnd::area_size(kCapacity);

TEST(SharedMemory, TwoMappingsOfOneSegmentShareTheirOctets) {
  auto segment = *SharedMemory::create(10'000);
  EXPECT_EQ(segment.size(), 10'000U);
  auto other = *SharedMemory::attach(Handle(::dup(segment.handle())), 10'000);
  segment.bytes()[9'999] = 7;
  EXPECT_EQ(other.bytes()[9'999], 7);
  EXPECT_NE(other.bytes().data(), segment.bytes().data());
  const SharedMemory moved = std::move(segment);
  EXPECT_EQ(moved.bytes()[9'999], 7);
  EXPECT_FALSE(segment.is_open());  // NOLINT(bugprone-use-after-move): a moved-from segment is empty
}

TEST(SharedMemory, ASegmentCannotBeShrunkUnderAPeer) {
  auto segment = *SharedMemory::create(8192);
  EXPECT_NE(::ftruncate(segment.handle(), 1), 0);
  EXPECT_NE(::ftruncate(segment.handle(), 100'000), 0);
}

TEST(SharedMemory, ASegmentCannotBeExecutedWhereTheSystemKnowsThat) {
  constexpr unsigned kNeverExecutable = 0x8;  // MFD_NOEXEC_SEAL
  constexpr int kExecutionSealed = 0x20;      // F_SEAL_EXEC
  const Handle known(::memfd_create("test", MFD_CLOEXEC | kNeverExecutable));
  const auto segment = *SharedMemory::create(8192);
  EXPECT_EQ((::fcntl(segment.handle(), F_GET_SEALS) & kExecutionSealed) != 0, static_cast<bool>(known));
}

TEST(SharedMemory, ASegmentBeyondTheLimitOfFilesIsAFailureAndNoSignal) {
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit limit{.rlim_cur = 8192, .rlim_max = 8192};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0 || !SharedMemory::create(8192)) ::_exit(2);
    const auto larger = SharedMemory::create(8193);
    ::_exit(!larger && larger.error().code == Code::too_large ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST(SharedMemory, RefusesWhatCouldBeShrunkOrIsTooLarge) {
  Handle unsealed(::memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(::ftruncate(unsealed.get(), 4096), 0);
  EXPECT_EQ(SharedMemory::attach(std::move(unsealed), 4096).error().code, Code::refused);
  EXPECT_EQ(SharedMemory::attach(Handle(::dup(0)), 4096).error().code, Code::refused);
  auto segment = *SharedMemory::create(8192);
  EXPECT_EQ(SharedMemory::attach(Handle(::dup(segment.handle())), 4096).error().code, Code::too_large);
  EXPECT_EQ(SharedMemory::create(0).error().code, Code::bad_argument);
}

TEST(SharedMemory, NamedSegmentsAreFoundAndTheirNamesGo) {
  // Those that begin with "corbel" are counted by a test of shm, which may run beside this one.
  const std::string name = "/test-of-corbel-" + std::to_string(::getpid());
  {
    auto segment = *SharedMemory::create_named(name, 100);
    EXPECT_EQ(SharedMemory::create_named(name, 100).error().code, Code::address_in_use);
    auto other = *SharedMemory::open_named(name, 100);
    other.bytes()[0] = 3;
    EXPECT_EQ(segment.bytes()[0], 3);
    EXPECT_EQ(SharedMemory::open_named(name, 50).error().code, Code::too_large);
  }
  EXPECT_EQ(SharedMemory::open_named(name, 100).error().code, Code::unreachable);
}

class RingTest : public ::testing::Test {
 protected:
  SharedMemory segment_ = *SharedMemory::create(kArea);
  RingProducer producer_ = *RingProducer::attach(segment_.bytes());
  RingConsumer consumer_ = *RingConsumer::attach(segment_.bytes());
  std::array<base::Octet, 16> room_{};

  std::uint32_t& word(std::size_t offset) {
    return *reinterpret_cast<std::uint32_t*>(segment_.bytes().data() + offset);
  }
};

TEST_F(RingTest, CarriesOctetsInOrderHoweverTheyAreCut) {
  const auto data = pattern(500'000);
  std::thread sending([&] {
    std::minstd_rand random(1);
    for (std::size_t at = 0; at < data.size();) {
      const std::size_t size = std::min<std::size_t>(data.size() - at, random() % 9000);
      ASSERT_TRUE(producer_.send_n(base::ConstByteSpan(data).subspan(at, size)));
      at += size;
    }
    producer_.close();
  });
  base::Bytes received;
  std::minstd_rand random(2);
  for (;;) {
    base::Bytes room(random() % 7000 + 1);
    const auto count = consumer_.recv(room, soon());
    ASSERT_TRUE(count);
    if (*count == 0) break;
    received.insert(received.end(), room.begin(), room.begin() + static_cast<std::ptrdiff_t>(*count));
  }
  sending.join();
  EXPECT_EQ(received, data);
}

TEST_F(RingTest, SurvivesTheWrapOfItsCounts) {
  word(0) = word(64) = 0xffff'fff0;
  // Ends that have moved that much already: what attach gives to a new area, moved on by hand.
  struct Consumer : RingConsumer {
    explicit Consumer(RingConsumer end) : RingConsumer(end) { moved_ = 0xffff'fff0; }
  };
  struct Producer : RingProducer {
    explicit Producer(RingProducer end) : RingProducer(end) { moved_ = 0xffff'fff0; }
  };
  Producer producer(producer_);
  Consumer consumer(consumer_);
  const auto data = pattern(kCapacity);
  ASSERT_TRUE(producer.send_n(data, Deadline::now()));
  EXPECT_EQ(producer.send(data, Deadline::now()).error().code, Code::would_block);
  base::Bytes room(kCapacity);
  ASSERT_TRUE(consumer.recv_n(room, Deadline::now()));
  EXPECT_EQ(room, data);
}

TEST_F(RingTest, TellsHowMuchIsThereAndHowMuchHasBeen) {
  EXPECT_EQ(consumer_.wait(Deadline::now()).error().code, Code::would_block);
  ASSERT_TRUE(producer_.send_n(base::as_bytes("seven o")));
  EXPECT_EQ(*consumer_.wait(Deadline::now()), 7U);
  EXPECT_EQ(producer_.moved(), 7U);
  EXPECT_EQ(consumer_.moved(), 0U) << "nothing was taken";
  EXPECT_EQ(*consumer_.recv(base::ByteSpan(room_).first(3)), 3U);
  EXPECT_EQ(consumer_.moved(), 3U);
  EXPECT_EQ(*consumer_.wait(Deadline::now()), 4U);
  producer_.close();
  EXPECT_EQ(*consumer_.recv(room_), 4U);
  EXPECT_EQ(*consumer_.wait(soon()), 0U);
}

TEST_F(RingTest, CarriesANoteEachWayThatMeansNothingToIt) {
  EXPECT_EQ(consumer_.peer_note(), 0U);
  producer_.set_note(5);
  consumer_.set_note(7);
  EXPECT_EQ(consumer_.peer_note(), 5U);
  EXPECT_EQ(producer_.peer_note(), 7U);
  ASSERT_TRUE(producer_.send_n(base::as_bytes("as ever")));
  EXPECT_EQ(*consumer_.recv(room_), 7U);
}

TEST_F(RingTest, GathersAndScatters) {
  std::array<ConstIoVector, 3> gather{base::as_bytes("ab"), base::ConstByteSpan(), base::as_bytes("cde")};
  ASSERT_TRUE(producer_.sendv_n(gather));
  std::array<base::Octet, 4> front{};
  std::array<IoVector, 2> scatter{base::ByteSpan(front), base::ByteSpan(room_.data(), 1)};
  ASSERT_TRUE(consumer_.recvv_n(scatter));
  EXPECT_EQ(base::as_text(front), "abcd");
}

TEST_F(RingTest, GivesUpAtTheDeadline) {
  EXPECT_EQ(consumer_.recv(room_, Deadline::now()).error(), base::error(Stage::receive, Code::would_block));
  EXPECT_EQ(consumer_.recv(room_, Deadline::after(10ms)).error(), base::error(Stage::receive, Code::timed_out));
  const auto data = pattern(kCapacity + 1);
  std::size_t sent = 0;
  EXPECT_EQ(producer_.send_n(data, Deadline::after(10ms), &sent).error(), base::error(Stage::send, Code::timed_out));
  EXPECT_EQ(sent, kCapacity);
}

TEST_F(RingTest, ASpinningSideTakesWhatArrivesWithoutSleeping) {
  constexpr std::size_t kConsumersFutex = 64 + 12;
  consumer_.set_spin(base::Spin(60s, 2));
  std::thread receiving([&] { EXPECT_EQ(*consumer_.recv(room_), 3U); });
  ASSERT_TRUE(producer_.send_n(base::as_bytes("now")));
  receiving.join();
  EXPECT_EQ(word(kConsumersFutex), 0U);  // it changes whenever a thread is woken
}

TEST_F(RingTest, ASpinningSideSleepsWhenItsTimeIsOverAndGivesUpAtTheDeadline) {
  consumer_.set_spin(base::Spin(1us, 2));
  std::thread receiving([&] { EXPECT_EQ(*consumer_.recv(room_), 3U); });
  while (std::atomic_ref(word(64 + 8)).load() == 0) std::this_thread::yield();  // until it says that it sleeps
  ASSERT_TRUE(producer_.send_n(base::as_bytes("now")));
  receiving.join();
  consumer_.set_spin(base::Spin(60s, 2));
  EXPECT_EQ(consumer_.recv(room_, Deadline::after(2ms)).error(), base::error(Stage::receive, Code::timed_out));
}

TEST_F(RingTest, SetsTheEventOfAPeerThatIsArmed) {
  const auto readable = [](const Event& event) {
    return static_cast<bool>(wait_ready(event.handle(), Ready::readable, Deadline::now(), Stage::receive));
  };
  const auto for_consumer = *Event::open();
  const auto for_producer = Event::adopt(Handle(::dup(for_consumer.handle())));
  producer_.set_peer_event(&for_producer);
  ASSERT_TRUE(producer_.send_n(base::as_bytes("a")));
  EXPECT_FALSE(readable(for_consumer));  // no thread waits
  EXPECT_TRUE(*consumer_.arm());         // something is there already
  EXPECT_EQ(*consumer_.recv(room_), 1U);
  EXPECT_FALSE(*consumer_.arm());
  ASSERT_TRUE(producer_.send_n(base::as_bytes("b")));
  EXPECT_TRUE(readable(for_consumer));
  for_consumer.clear();
  EXPECT_EQ(*consumer_.recv(room_, Deadline::now()), 1U);
  EXPECT_FALSE(*consumer_.arm());
  producer_.close();
  EXPECT_TRUE(readable(for_consumer));
  EXPECT_TRUE(*consumer_.arm());
  EXPECT_EQ(*consumer_.recv(room_), 0U);
}

TEST_F(RingTest, AFullProducerArmsForRoom) {
  const auto event = *Event::open();
  consumer_.set_peer_event(&event);
  ASSERT_TRUE(producer_.send_n(pattern(kCapacity)));
  EXPECT_FALSE(*producer_.arm());
  EXPECT_EQ(*consumer_.recv(room_), room_.size());
  EXPECT_TRUE(wait_ready(event.handle(), Ready::readable, Deadline::now(), Stage::send));
  EXPECT_TRUE(*producer_.arm());
}

TEST_F(RingTest, ClosingWakesTheOtherSide) {
  std::thread receiving([&] { EXPECT_EQ(*consumer_.recv(room_), 0U); });
  producer_.close();
  receiving.join();
  EXPECT_EQ(consumer_.recv_n(room_).error(), base::error(Stage::receive, Code::closed));
}

TEST_F(RingTest, ClosingWakesAProducerThatWaitsForRoom) {
  std::thread sending([&] { EXPECT_EQ(producer_.send_n(pattern(2 * kCapacity)).error().code, Code::lost); });
  consumer_.close();
  sending.join();
}

TEST_F(RingTest, ClosingWakesAThreadOfItsOwnSide) {
  std::thread receiving(
      [&] { EXPECT_EQ(consumer_.recv(room_).error(), base::error(Stage::receive, Code::cancelled)); });
  consumer_.close();
  receiving.join();
  producer_.close();
  EXPECT_EQ(producer_.send(base::as_bytes("x")).error().code, Code::cancelled);
}

/// True once the thread of this process sleeps.
bool falls_asleep(pid_t thread) {
  const std::string path = "/proc/self/task/" + std::to_string(thread) + "/stat";
  for (const Deadline end = soon(); !end.expired(); std::this_thread::yield()) {
    std::string stat;
    std::getline(std::ifstream(path), stat);
    const std::size_t name_end = stat.rfind(')');
    if (name_end != std::string::npos && stat.substr(name_end, 3) == ") S") return true;
  }
  return false;
}

TEST_F(RingTest, ClosingWakesAThreadOfItsOwnSideThatIsFastAsleep) {
  constexpr auto kLong = 20s;  // when it would look again by itself
  std::promise<pid_t> id;
  std::thread receiving([&] {
    id.set_value(static_cast<pid_t>(::syscall(SYS_gettid)));
    EXPECT_EQ(consumer_.recv(room_, Deadline::after(kLong)).error(), base::error(Stage::receive, Code::cancelled));
  });
  EXPECT_TRUE(falls_asleep(id.get_future().get()));
  const auto begun = std::chrono::steady_clock::now();
  consumer_.close();
  receiving.join();
  EXPECT_LT(std::chrono::steady_clock::now() - begun, kLong / 2);
}

TEST_F(RingTest, WhatWasSentBeforeClosingIsStillReceived) {
  ASSERT_TRUE(producer_.send_n(base::as_bytes("last words")));
  producer_.close();
  EXPECT_EQ(*consumer_.recv(room_), 10U);
  EXPECT_EQ(*consumer_.recv(room_), 0U);
}

TEST_F(RingTest, AnImpossibleCountBreaksItForGood) {
  word(0) = kCapacity + 1;  // the producer claims to have sent more than fits
  EXPECT_EQ(consumer_.recv(room_).error(), base::error(Stage::receive, Code::malformed));
  word(0) = 0;
  EXPECT_EQ(consumer_.recv(room_, soon()).error(), base::error(Stage::receive, Code::malformed));
  word(64) = 1;  // the consumer claims to have received what was never sent
  EXPECT_EQ(producer_.send(base::as_bytes("x")).error(), base::error(Stage::send, Code::malformed));
}

TEST_F(RingTest, ANewConsumerAcceptsNoCountThatWentBackwards) {
  ASSERT_TRUE(producer_.send_n(pattern(100)));
  base::Bytes room(100);
  ASSERT_TRUE(consumer_.recv_n(room));
  word(0) = 50;
  EXPECT_EQ(consumer_.recv(room).error().code, Code::malformed);
}

TEST_F(RingTest, RubbishInTheHeaderNeverCrashesOrHangs) {
  std::minstd_rand random(3);
  const auto data = pattern(100);
  for (int round = 0; round < 2000; ++round) {
    auto producer = *RingProducer::attach(segment_.bytes());
    auto consumer = *RingConsumer::attach(segment_.bytes());
    for (std::size_t offset = 0; offset < 128; offset += 4)
      word(offset) = static_cast<std::uint32_t>(random() % 3 == 0 ? random() : random() % 8192);
    (void)producer.send(data, Deadline::now());
    base::Bytes room(5000);
    (void)consumer.recv(room, Deadline::now());
  }
}

TEST_F(RingTest, RefusesAnAreaThatIsNoRing) {
  const auto bytes = segment_.bytes();
  EXPECT_EQ(RingProducer::attach(bytes.first(kArea - 1)).error().code, Code::bad_argument);
  EXPECT_EQ(RingProducer::attach(bytes.first(100)).error().code, Code::bad_argument);
  EXPECT_EQ(RingConsumer::attach(bytes.subspan(8).first(RingEnd::area_size(1024))).error().code, Code::bad_argument);
  EXPECT_EQ(RingConsumer::attach({}).error().code, Code::bad_argument);
}

TEST(Ring, ConnectsTwoProcessesThroughAPassedHandle) {
  auto [here, there] = *make_stream_pair();
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    base::Octet octet;
    auto received = recv_with(there, {&octet, 1}, 1);
    auto segment = SharedMemory::attach(std::move(received->handles[0]), 2 * kArea);
    auto requests = RingConsumer::attach(segment->bytes().first(kArea));
    auto replies = RingProducer::attach(segment->bytes().last(kArea));
    base::Octet value;
    while (requests->recv_n({&value, 1})) {
      value = static_cast<base::Octet>(value + 1);
      if (!replies->send_n({&value, 1})) break;
    }
    ::_exit(0);
  }
  auto segment = *SharedMemory::create(2 * kArea);
  const int handles[] = {segment.handle()};
  ASSERT_TRUE(send_with(here, base::as_bytes("m"), {.handles = handles}));
  auto requests = *RingProducer::attach(segment.bytes().first(kArea));
  auto replies = *RingConsumer::attach(segment.bytes().last(kArea));
  for (int i = 0; i < 200; ++i) {
    auto value = static_cast<base::Octet>(i);
    ASSERT_TRUE(requests.send_n({&value, 1}, soon()));
    ASSERT_TRUE(replies.recv_n({&value, 1}, soon()));
    ASSERT_EQ(value, static_cast<base::Octet>(i + 1));
  }
  requests.close();
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace corbel::ipc
