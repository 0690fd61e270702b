// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "corbel/ipc/acceptor.hpp"
#include "corbel/ipc/connector.hpp"
#include "corbel/ipc/passing.hpp"
#include "corbel/ipc/ring.hpp"
#include "corbel/ipc/shared_memory.hpp"
#include "corbel/ipc/test_support.hpp"
#include "corbel/transport/shm/shm.hpp"

namespace corbel::transport::shm_tests {

using base::Code;
using base::Deadline;
using base::Stage;
using ipc::testing::soon;
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

}  // namespace corbel::transport::shm_tests
