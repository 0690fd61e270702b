// SPDX-License-Identifier: Apache-2.0
// Parameters and results with @shared: servants keep what came and give out what they have.
#include <gtest/gtest.h>
#include <corbel/base/kept_memory.hpp>
#include <corbel/builtins/builtins.hpp>
#include <corbel/orb/orb.hpp>
#include <corbel/poa/poa.hpp>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "eventually.hpp"
#include "shared_server.hpp"

namespace corbel {
namespace {

using Octets = SharedTest::Octets;
using Bytes = std::shared_ptr<const Octets>;

Octets counted(std::size_t size, std::uint8_t from = 1) {
  Octets octets(size);
  std::iota(octets.begin(), octets.end(), from);
  return octets;
}

/// What every test's servant does, also behind a tie.
struct Logic {
  std::shared_ptr<const std::string> word(std::shared_ptr<const std::string> text) { return text; }
  Bytes kept() {
    const std::lock_guard lock(mutex);
    return last;
  }
  void put(std::int32_t key, Bytes data) {
    if (key < 0) throw SharedTest::Refused("a key below 0");
    const std::lock_guard lock(mutex);
    last = data;
    blocks[key] = std::move(data);
  }
  Bytes get(std::int32_t key, std::int32_t& size) {
    const std::lock_guard lock(mutex);
    const auto found = blocks.find(key);
    if (found == blocks.end()) throw SharedTest::Refused("no such block");
    size = static_cast<std::int32_t>(found->second->size());
    return found->second;
  }
  std::shared_ptr<const SharedTest::Record> same_record(std::shared_ptr<const SharedTest::Record> value,
                                                        std::int32_t& count) {
    ++count;
    return value;
  }
  std::shared_ptr<const SharedTest::Choice> same_choice(std::shared_ptr<const SharedTest::Choice> value) {
    return value;
  }
  std::shared_ptr<const SharedTest::Names> same_names(std::shared_ptr<const SharedTest::Names> value) { return value; }
  std::shared_ptr<const std::wstring> wide(std::shared_ptr<const std::wstring> value) { return value; }
  std::shared_ptr<const SharedTest::Few> same_few(std::shared_ptr<const SharedTest::Few> value) { return value; }
  Bytes nothing() { return nullptr; }
  void both(Bytes first, std::int32_t number, Bytes& second, std::shared_ptr<const std::string>& third) {
    second = std::move(first);
    if (number == 0) throw SharedTest::Refused("number 0");
    if (number > 0) third = std::make_shared<const std::string>(std::to_string(number));
  }
  void leave(Bytes data) { left_octets += static_cast<std::int32_t>(data->size()); }
  std::int32_t left() { return left_octets; }
  Octets plain(const Octets& data) { return data; }

  std::mutex mutex;
  std::map<std::int32_t, Bytes> blocks;
  Bytes last = std::make_shared<const Octets>();
  std::atomic<std::int32_t> left_octets{0};
};

class StoreServant : public virtual CORBA::servant_traits<SharedTest::Store>::base_type {
 public:
  std::shared_ptr<const std::string> word(std::shared_ptr<const std::string> text) override { return logic.word(text); }
  Bytes kept() override { return logic.kept(); }
  void put(std::int32_t key, Bytes data) override { logic.put(key, std::move(data)); }
  Bytes get(std::int32_t key, std::int32_t& size) override { return logic.get(key, size); }
  std::shared_ptr<const SharedTest::Record> same_record(std::shared_ptr<const SharedTest::Record> value,
                                                        std::int32_t& count) override {
    return logic.same_record(std::move(value), count);
  }
  std::shared_ptr<const SharedTest::Choice> same_choice(std::shared_ptr<const SharedTest::Choice> value) override {
    return value;
  }
  std::shared_ptr<const SharedTest::Names> same_names(std::shared_ptr<const SharedTest::Names> value) override {
    return value;
  }
  std::shared_ptr<const std::wstring> wide(std::shared_ptr<const std::wstring> value) override { return value; }
  std::shared_ptr<const SharedTest::Few> same_few(std::shared_ptr<const SharedTest::Few> value) override {
    return value;
  }
  Bytes nothing() override { return nullptr; }
  void both(Bytes first, std::int32_t number, Bytes& second, std::shared_ptr<const std::string>& third) override {
    logic.both(std::move(first), number, second, third);
  }
  void leave(Bytes data) override { logic.leave(std::move(data)); }
  std::int32_t left() override { return logic.left(); }
  Octets plain(const Octets& data) override { return data; }

  Logic logic;
};

struct Way {
  const char* endpoint;
  bool collocated;
  bool tie;
};

class SharedValues : public testing::TestWithParam<Way> {
 protected:
  SharedValues() {
    std::vector<std::string> options = {"shared", "-ORBListenEndpoints", GetParam().endpoint};
    if (!GetParam().collocated) options.insert(options.end(), {"-ORBCollocation", "off"});
    std::vector<char*> arguments;
    for (std::string& option : options) arguments.push_back(option.data());
    int count = static_cast<int>(arguments.size());
    arguments.push_back(nullptr);
    orb_ = CORBA::ORB_init(count, arguments.data());
    auto poa = IDL::traits<PortableServer::POA>::narrow(orb_->resolve_initial_references("RootPOA"));
    poa->the_POAManager()->activate();
    PortableServer::ObjectId id;
    if (GetParam().tie) {
      auto owner = std::make_shared<Logic>();
      logic_ = owner.get();
      id = poa->activate_object(
          CORBA::make_reference<CORBA::servant_traits<SharedTest::Store>::tie_type<Logic>>(std::move(owner)));
    } else {
      auto servant = CORBA::make_reference<StoreServant>();
      logic_ = &servant->logic;
      id = poa->activate_object(servant);
    }
    store_ = IDL::traits<SharedTest::Store>::narrow(poa->id_to_reference(id));
    thread_ = std::thread([orb = orb_] {
      try {
        orb->run();
      } catch (const CORBA::BAD_INV_ORDER&) {  // the test was over before this had begun
      }
    });
  }
  ~SharedValues() override {
    store_ = nullptr;
    orb_->shutdown(true);
    thread_.join();
    orb_->destroy();
  }

  IDL::traits<CORBA::ORB>::ref_type orb_;
  IDL::traits<SharedTest::Store>::ref_type store_;
  Logic* logic_ = nullptr;
  std::thread thread_;
};

TEST_P(SharedValues, ComeAndGoAsTheyAre) {
  for (const std::size_t size : {0U, 1U, 2047U, 2048U, 40'000U, 1'000'000U, 5'000'000U}) {
    const Octets sent = counted(size);
    store_->put(7, sent);
    EXPECT_EQ(*logic_->kept(), sent);
    std::int32_t told = 0;
    EXPECT_EQ(store_->get(7, told), sent);
    EXPECT_EQ(told, static_cast<std::int32_t>(size));
    EXPECT_EQ(store_->plain(sent), sent);
  }
  EXPECT_EQ(store_->word("a word"), "a word");
  EXPECT_EQ(store_->wide(L"wide"), L"wide");
  EXPECT_EQ(store_->same_names({"a", "", "c"}), (SharedTest::Names{"a", "", "c"}));
  std::int32_t count = 4;
  const SharedTest::Record record("name", counted(70'000));
  EXPECT_EQ(store_->same_record(record, count), record);
  EXPECT_EQ(count, 5);
  SharedTest::Choice choice;
  choice.number(-3);
  EXPECT_EQ(store_->same_choice(choice), choice);
  const SharedTest::Few few{1, 2, 3};
  EXPECT_EQ(store_->same_few(few), few);
}

TEST_P(SharedValues, AreTheServantsOwn) {
  Octets mine = counted(100'000);
  store_->put(1, mine);
  const Bytes kept = logic_->kept();
  const Octets before = *kept;
  mine[0] = 99;
  store_->put(2, mine);
  EXPECT_EQ(*kept, before) << "another call, or the caller, wrote into what was kept";
  EXPECT_NE(logic_->kept()->data(), kept->data());
  std::int32_t size = 0;
  Octets back = store_->get(1, size);
  back[1] = 98;
  EXPECT_EQ(*kept, before) << "what a caller got is what the servant has";
}

TEST_P(SharedValues, ThatWereDroppedServeThoseThatCome) {
  for (int i = 0; i < 50; ++i) {
    const Octets sent = counted(300'000, static_cast<std::uint8_t>(i));
    store_->put(1, sent);
    std::int32_t size = 0;
    ASSERT_EQ(store_->get(1, size), sent) << i;
  }
}

TEST_P(SharedValues, ThatAreKeptHoldNoMemoryOfOthers) {
  int key = 0;
  for (const std::size_t size : {std::size_t{1}, std::size_t{40'000}, std::size_t{300'000}}) {
    for (int i = 0; i < 8; ++i) {
      store_->put(0, counted(3'000'000));
      store_->put(0, {});  // the memory of what this drops is for those that come
      store_->put(++key, counted(size));
    }
  }
  EXPECT_EQ(store_->word("a"), "a");
  const std::lock_guard lock(logic_->mutex);
  for (const auto& [number, block] : logic_->blocks) {
    EXPECT_LE(block->capacity(), 2 * block->size()) << number;
  }
}

TEST_P(SharedValues, LeaveNoMemoryToThreadsOfTheApplication) {
  store_->put(1, counted(3'000'000));
  Bytes kept;
  {
    const std::lock_guard lock(logic_->mutex);
    kept = std::exchange(logic_->last, nullptr);
    logic_->blocks.clear();
  }
  ASSERT_TRUE(test::eventually([&] { return kept.use_count() == 1; }));
  std::thread([&] {
    kept = nullptr;
    EXPECT_EQ(base::KeptMemory::octets(), 0U);
  }).join();
}

TEST_P(SharedValues, ExceptionsAndOneways) {
  std::int32_t size = 0;
  EXPECT_THROW(store_->get(12345, size), SharedTest::Refused);
  EXPECT_THROW(store_->put(-1, counted(50'000)), SharedTest::Refused);
  store_->leave(counted(60'000));
  EXPECT_TRUE(test::eventually([&] { return store_->left() == 60'000; }));
}

TEST_P(SharedValues, NoneIsBadParam) {
  try {
    store_->nothing();
    FAIL();
  } catch (const CORBA::BAD_PARAM& failure) {
    EXPECT_EQ(failure.completed(), CORBA::COMPLETED_YES);
  }
  EXPECT_EQ(store_->word("on"), "on") << "the connection is as it was";
}

TEST_P(SharedValues, ComeOutThroughParameters) {
  Octets second(7, 7);
  std::string third;
  for (int i = 1; i < 6; ++i) {
    const Octets first = counted(100'000, static_cast<std::uint8_t>(i));
    store_->both(first, i, second, third);
    EXPECT_EQ(second, first);
    EXPECT_EQ(third, std::to_string(i));
  }
  const Octets before = second;
  EXPECT_THROW(store_->both(counted(10), 0, second, third), SharedTest::Refused);
  EXPECT_EQ(second, before);
  EXPECT_EQ(third, "5");
  EXPECT_THROW(store_->both(counted(10), -1, second, third), CORBA::BAD_PARAM) << "one was not given";
}

TEST_P(SharedValues, AreCalledAsynchronously) {
  const Octets sent = counted(400'000);
  store_->async_put(3, sent).get();
  const auto result = store_->async_get(3).get();
  EXPECT_EQ(std::get<0>(result), sent);
}

TEST_P(SharedValues, OfManyThreads) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (std::int32_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 30; ++i) {
        const Octets sent = counted(40'000 + static_cast<std::size_t>(t) * 11'111, static_cast<std::uint8_t>(t + i));
        store_->put(t, sent);
        std::int32_t size = 0;
        if (store_->get(t, size) != sent) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

std::string name_of(const testing::TestParamInfo<Way>& info) {
  const std::string endpoint = info.param.endpoint;
  return endpoint.substr(0, endpoint.find(':')) + (info.param.collocated ? "_collocated" : "") +
         (info.param.tie ? "_tie" : "");
}

INSTANTIATE_TEST_SUITE_P(Ways, SharedValues,
                         testing::Values(Way{"tcp://127.0.0.1:0", false, false}, Way{"tcp://127.0.0.1:0", false, true},
                                         Way{"tcp://127.0.0.1:0", true, false}, Way{"tcp://127.0.0.1:0", true, true},
                                         Way{"unix://", false, false}, Way{"shm://", false, false},
                                         Way{"inproc://", false, false}),
                         name_of);

}  // namespace
}  // namespace corbel
