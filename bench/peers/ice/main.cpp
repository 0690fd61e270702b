// SPDX-License-Identifier: Apache-2.0
// ZeroC Ice in the laboratory, with its defaults but for the size of a message.
#include <Ice/Ice.h>

#include <atomic>

#include "Bench.h"
#include "peers/peer.hpp"

namespace {

class Target : public Bench::Target {
 public:
  void ping(const Ice::Current&) override {}
  void takeOctets(Bench::Octets data, const Ice::Current&) override { count(data); }
  void takeShorts(Bench::Shorts data, const Ice::Current&) override { count(data); }
  void takeLongs(Bench::Longs data, const Ice::Current&) override { count(data); }
  void takeDoubles(Bench::Doubles data, const Ice::Current&) override { count(data); }
  void takeString(std::string data, const Ice::Current&) override { count(data); }
  void takeStructs(Bench::BinStructs data, const Ice::Current&) override {
    taken_ += static_cast<Ice::Long>(data.size() * sizeof(peer::BinStruct));
  }
  Ice::Long taken(const Ice::Current&) override { return taken_; }
  Bench::Octets echoOctets(Bench::Octets data, const Ice::Current&) override { return data; }
  Bench::Shorts echoShorts(Bench::Shorts data, const Ice::Current&) override { return data; }
  Bench::Longs echoLongs(Bench::Longs data, const Ice::Current&) override { return data; }
  Bench::Doubles echoDoubles(Bench::Doubles data, const Ice::Current&) override { return data; }
  std::string echoString(std::string data, const Ice::Current&) override { return data; }
  Bench::BinStructs echoStructs(Bench::BinStructs data, const Ice::Current&) override { return data; }

 private:
  template <class Data>
  void count(const Data& data) {
    taken_ += static_cast<Ice::Long>(data.size() * sizeof(data[0]));
  }

  std::atomic<Ice::Long> taken_{0};
};

class Client {
 public:
  explicit Client(std::shared_ptr<Bench::TargetPrx> target)
      : target_(std::move(target)), oneway_(target_->ice_oneway()) {}
  void ping() { target_->ping(); }
  std::unique_ptr<Client> for_thread() { return std::make_unique<Client>(target_); }
  std::function<void()> put(std::size_t payload) { return sender(target_, "octet", payload); }

  peer::Flow ring(const std::string& type, std::size_t count) {
    using namespace Bench;
    if (type == "short")
      return ring(Shorts(count, 1), [](auto& to, const Shorts& data) { return to.echoShorts(data); });
    if (type == "long") return ring(Longs(count, 2), [](auto& to, const Longs& data) { return to.echoLongs(data); });
    if (type == "double")
      return ring(Doubles(count, 4.5), [](auto& to, const Doubles& data) { return to.echoDoubles(data); });
    if (type == "string")
      return ring(std::string(count, 'x'), [](auto& to, const std::string& data) { return to.echoString(data); });
    if (type == "struct") {
      return ring(BinStructs(count, BinStruct{1, Ice::Byte{'c'}, 2, Ice::Byte{3}, 4.5}),
                  [](auto& to, const BinStructs& data) { return to.echoStructs(data); });
    }
    return ring(Octets(count, Ice::Byte{'x'}), [](auto& to, const Octets& data) { return to.echoOctets(data); });
  }

  peer::Flow flow(bool oneway, const std::string& type, std::size_t count) {
    const Ice::Long before = target_->taken();
    const std::uint64_t size = count * peer::size_of(type);
    return {size, [this, before, size, send = sender(oneway ? oneway_ : target_, type, count)](unsigned long calls) {
              for (unsigned long i = 0; i < calls; ++i) send();
              while (target_->taken() - before < static_cast<Ice::Long>(size * calls)) {
              }
            }};
  }

 private:
  template <class Data, class Call>
  peer::Flow ring(Data data, Call call) {
    const std::uint64_t size = 2 * data.size() * sizeof(data[0]);
    return {size, [this, data = std::move(data), call](unsigned long calls) {
              for (unsigned long i = 0; i < calls; ++i) peer::check_ring(data.size(), call(*target_, data).size());
            }};
  }
  static std::function<void()> sender(std::shared_ptr<Bench::TargetPrx> to, const std::string& type,
                                      std::size_t count) {
    // Slice has no char of one octet but its byte.
    if (type == "octet" || type == "char")
      return [to, data = Bench::Octets(count, Ice::Byte{'x'})] { to->takeOctets(data); };
    if (type == "short") return [to, data = Bench::Shorts(count, 1)] { to->takeShorts(data); };
    if (type == "long") return [to, data = Bench::Longs(count, 2)] { to->takeLongs(data); };
    if (type == "double") return [to, data = Bench::Doubles(count, 4.5)] { to->takeDoubles(data); };
    if (type == "string") return [to, data = std::string(count, 'x')] { to->takeString(data); };
    return [to, data = Bench::BinStructs(count, Bench::BinStruct{1, Ice::Byte{'c'}, 2, Ice::Byte{3}, 4.5})] {
      to->takeStructs(data);
    };
  }

  std::shared_ptr<Bench::TargetPrx> target_;
  std::shared_ptr<Bench::TargetPrx> oneway_;
};

std::shared_ptr<Ice::Communicator> make_communicator() {
  Ice::InitializationData data;
  data.properties = Ice::createProperties();
  data.properties->setProperty("Ice.MessageSizeMax", "65536");  // KiB
  if (const int queue = peer::queue_size(); queue > 0) {
    data.properties->setProperty("Ice.TCP.SndSize", std::to_string(queue));
    data.properties->setProperty("Ice.TCP.RcvSize", std::to_string(queue));
  }
  return Ice::initialize(data);
}

struct ZeroCIce {
  static peer::About about() {
    return {.name = "Ice " ICE_STRING_VERSION,
            .transports = "tcp",
            .commands = "latency threads oneway twoway ring queues",
            .types = peer::kAllTypes};
  }
  static void serve(const char*, const char*, const std::string& where) {
    const auto communicator = make_communicator();
    const auto adapter = communicator->createObjectAdapterWithEndpoints("bench", "tcp -h " + where);
    const auto target = adapter->add(std::make_shared<Target>(), Ice::stringToIdentity("target"));
    adapter->activate();
    peer::announce(communicator->proxyToString(target));
    communicator->waitForShutdown();
  }
  static int run_client(const char*, const char*, const std::string& reference) {
    const auto communicator = make_communicator();
    const auto target = Ice::checkedCast<Bench::TargetPrx>(communicator->stringToProxy(reference));
    Client client(target);
    const int status = peer::command_loop(client);
    communicator->destroy();
    return status;
  }
};

}  // namespace

int main(int argc, char** argv) {
  return peer::main<ZeroCIce>(argc, argv);
}
