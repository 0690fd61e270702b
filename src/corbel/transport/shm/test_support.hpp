// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "corbel/ipc/acceptor.hpp"
#include "corbel/ipc/connector.hpp"
#include "corbel/ipc/passing.hpp"
#include "corbel/ipc/ring.hpp"
#include "corbel/ipc/shared_memory.hpp"
#include "corbel/ipc/test_support.hpp"
#include "corbel/transport/shm/shm.hpp"
#include "corbel/transport/shm/slots.hpp"

namespace corbel::transport::shm_tests {

using base::Code;
using base::Deadline;
using base::Stage;
using ipc::testing::pattern;
using ipc::testing::soon;
using shm::kLeastLent;
using shm::kSteps;
using namespace std::chrono_literals;

constexpr std::size_t kRing = 256U << 10;
constexpr std::size_t kArea = ipc::RingEnd::area_size(kRing);

#if defined(__SANITIZE_THREAD__)
constexpr bool kSeesRaces = true;  // those of the octets are meant to be; and children have no threads
#else
constexpr bool kSeesRaces = false;
#endif

inline std::string unused_name() {
  static int count = 0;
  return "@corbel-shm-test-" + std::to_string(::getpid()) + '-' + std::to_string(++count);
}

/// What a server sends first, which a peer can forge.
struct Greeting {
  std::array<char, 8> magic{'c', 'o', 'r', 'b', 'e', 'l', 'M', '1'};
  std::uint32_t to_server = kRing;
  std::uint32_t to_client = kRing;

  base::ConstByteSpan octets() const { return {reinterpret_cast<const base::Octet*>(this), sizeof *this}; }
};

/// A peer that speaks to a real server and has its hands on the memory.
struct Intruder {
  ipc::UnixStream socket;
  ipc::SharedMemory memory;

  static Intruder at(const Endpoint& endpoint) {
    Intruder intruder;
    const std::string text = endpoint.text();
    const auto address = *ipc::UnixAddress::abstract(text.substr(text.find('@') + 1));
    intruder.socket = *ipc::UnixConnector().connect(address, soon());
    Greeting greeting;
    auto received =
        *ipc::recv_with(intruder.socket, {reinterpret_cast<base::Octet*>(&greeting), sizeof greeting}, 1, soon());
    intruder.memory = *ipc::SharedMemory::attach(std::move(received.handles.at(0)), 2 * kArea);
    return intruder;
  }
  std::atomic_ref<std::uint32_t> word(std::size_t offset) const {
    return std::atomic_ref(*reinterpret_cast<std::uint32_t*>(memory.bytes().data() + offset));
  }
};

class Shm : public testing::Test {
 protected:
  std::unique_ptr<Acceptor> listen(const Options& options = {}) {
    return *factory_->listen(**factory_->parse(unused_name()), options);
  }
  static std::unique_ptr<Transport> accept(Acceptor& acceptor) {
    EXPECT_TRUE(ipc::wait_ready(acceptor.handle(), ipc::Ready::readable, soon(), Stage::wait));
    auto accepted = acceptor.accept();
    EXPECT_TRUE(accepted);
    return accepted ? *std::move(accepted) : nullptr;
  }
  /// A transport of ours, and the intruder at its other end.
  std::pair<std::unique_ptr<Transport>, Intruder> intruded() {
    acceptor_ = listen();
    std::unique_ptr<Transport> server;
    std::thread accepting([&] { server = accept(*acceptor_); });
    Intruder intruder = Intruder::at(*acceptor_->endpoints().front());
    accepting.join();
    return {std::move(server), std::move(intruder)};
  }
  /// What becomes of a client whose server offers `memory` behind `greeting`.
  base::Error connect_to_forger(const Greeting& greeting, int memory, std::size_t size = sizeof(Greeting)) {
    const std::string name = unused_name();
    auto forger = *ipc::UnixAcceptor::open(*ipc::UnixAddress::abstract(name.substr(1)));
    std::thread offering([&] {
      auto socket = *forger.accept(soon());
      const int handles[] = {memory};
      const std::span<const int> passed(handles, memory < 0 ? 0 : 1);
      EXPECT_TRUE(ipc::send_with(socket, greeting.octets().first(size), {.handles = passed}, soon()));
      std::array<base::Octet, 1> none;
      (void)socket.recv_n(none, soon());
    });
    base::Error error;
    {
      const auto connected = factory_->make_connector()->connect(**factory_->parse(name), {}, Deadline::after(20s));
      if (!connected) error = connected.error();
    }
    offering.join();
    return error;
  }

  std::shared_ptr<const Factory> factory_ = make_shm();
  std::unique_ptr<Acceptor> acceptor_;
  std::array<base::Octet, 1000> room_{};
};

constexpr std::size_t kStep = kLeastLent / kSteps;

inline std::shared_ptr<const Factory> lending(std::uint32_t octets = kLeastLent) {
  ShmSettings settings;
  settings.lent_memory = octets;
  return make_shm(settings);
}

inline base::Status send_all(Transport& transport, const std::vector<base::ConstByteSpan>& pieces) {
  std::vector<cdr::Segment> list;
  std::size_t size = 0;
  for (const base::ConstByteSpan each : pieces) {
    list.push_back({each.data(), each.size()});
    size += each.size();
  }
  CORBEL_TRY(const std::size_t sent, transport.send(list, soon()));
  EXPECT_EQ(sent, size);
  return {};
}

inline base::Bytes receive_all(Transport& transport, std::size_t size, std::size_t step = 1000) {
  base::Bytes octets(size);
  for (std::size_t done = 0; done < size;) {
    const auto got = transport.receive(base::ByteSpan(octets).subspan(done, std::min(step, size - done)), soon());
    if (!got) {
      ADD_FAILURE() << base::to_string(got.error()) << " after " << done;
      return {};
    }
    done += *got;
  }
  return octets;
}

/// If that is what comes next.
inline LentMemory take_lent(Transport& transport, std::size_t size) {
  return transport.next_lent() == size ? transport.take_lent() : LentMemory();
}

/// Servers and clients that lend, as much as is least.
class ShmLent : public Shm {
 protected:
  ShmLent() { factory_ = lending(); }

  struct Ends {
    std::unique_ptr<Transport> client, server;
  };
  Ends connect(const Factory& client_factory) {
    acceptor_ = listen();
    Ends ends;
    std::thread connecting([&] {
      auto client = client_factory.make_connector()->connect(*acceptor_->endpoints().front(), {}, soon());
      ASSERT_TRUE(client);
      ends.client = *std::move(client);
    });
    ends.server = accept(*acceptor_);
    connecting.join();
    return ends;
  }
  Ends connect() { return connect(*factory_); }

  static LentMemory filled(Transport& client, std::size_t size) {
    LentMemory memory = client.lend(size);
    EXPECT_EQ(memory.octets().size(), size);
    const base::Bytes octets = pattern(memory.octets().size());
    std::copy(octets.begin(), octets.end(), memory.octets().begin());
    return memory;
  }
};

}  // namespace corbel::transport::shm_tests
