// SPDX-License-Identifier: Apache-2.0
// A gauge that is fed by telegrams and asked over GIOP: one reference, two endpoints, and each call takes the one that
// can carry it. The protocol is a plug-in: telegrams -ORBLoad telegrams.so
#include <corbel/corbel.hpp>
#include <corbel/orb/statistics.hpp>

#include <iostream>
#include <thread>

#include "gauge_server.hpp"

namespace {

class Gauge : public virtual CORBA::servant_traits<Plant::Gauge>::base_type {
 public:
  void record(int32_t value) override { total_ += value; }
  int64_t total() override { return total_; }

 private:
  std::atomic<int64_t> total_{0};
};

/// With the options of the command line and these.
IDL::traits<CORBA::ORB>::ref_type make_orb(const std::string& id, std::vector<char*> arguments,
                                           std::vector<std::string> options) {
  for (std::string& option : options) arguments.push_back(option.data());
  int argc = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  return CORBA::ORB_init(argc, arguments.data(), id);
}

std::uint64_t figure(CORBA::ORB& orb, std::string_view name) {
  std::uint64_t sum = 0;
  for (const auto& each : corbel::orb::conversations(orb)) sum += each.protocol == "telegrams" ? each.figure(name) : 0;
  return sum;
}

}  // namespace

int main(int argc, char* argv[]) try {
  const std::vector<char*> arguments(argv, argv + argc);
  auto server = make_orb("server", arguments, {"-ORBListenEndpoints", "telegrams+tcp://127.0.0.1:0;tcp://127.0.0.1:0"});
  auto poa = IDL::traits<PortableServer::POA>::narrow(server->resolve_initial_references("RootPOA"));
  auto servant = CORBA::make_reference<Gauge>();
  const std::string reference = server->object_to_string(servant->_this());
  poa->the_POAManager()->activate();

  auto client = make_orb("client", arguments, {"-ORBProtocolPreference", "telegrams+tcp"});
  auto gauge = IDL::traits<Plant::Gauge>::narrow(client->string_to_object(reference));
  constexpr int kRecords = 1000;
  for (int i = 1; i <= kRecords; ++i) gauge->record(i);
  constexpr int64_t kExpected = int64_t{kRecords} * (kRecords + 1) / 2;
  // Two connections: a question may overtake what was recorded before it.
  for (int i = 0; i < 2000 && gauge->total() != kExpected; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));

  const bool right = gauge->total() == kExpected && figure(*client, "sent") == kRecords &&
                     figure(*server, "received") == kRecords && figure(*server, "named") == 1;
  std::cout << "total " << gauge->total() << ", telegrams " << figure(*server, "received") << ", with names "
            << figure(*server, "named") << '\n';
  client->destroy();
  server->destroy();
  return right ? 0 : 1;
} catch (const CORBA::Exception& exception) {
  std::cerr << exception << '\n';
  return 1;
}
