// SPDX-License-Identifier: Apache-2.0
// Clients that go through one turnstile without a pause, each by the protocol and transport that its ORB prefers, while
// another transport is loaded into the server, used, and taken out again.
#include <corbel/corbel.hpp>
#include <corbel/orb/statistics.hpp>

#include <atomic>
#include <chrono>
#include <iomanip>
#include <iostream>
#include <list>
#include <thread>

#include "turnstile.hpp"

namespace {

using OrbRef = IDL::traits<CORBA::ORB>::ref_type;
constexpr int kEnough = 100;

/// A client with an ORB and a thread of its own.
class Passenger {
 public:
  Passenger(std::string way, const std::string& turnstile, std::vector<std::string> options = {})
      : way_(std::move(way)) {
    // On a machine that is busy the second way would else be tried while the first is still being opened.
    options.insert(options.end(), {"-ORBProtocolPreference", way_, "-ORBConnectHeadStart", "10000"});
    orb_ = CORBA::ORB_init(options, way_);
    turnstile_ = IDL::traits<Station::Turnstile>::narrow(orb_->string_to_object(turnstile));
    thread_ = std::thread([this] { walk(); });
  }
  ~Passenger() {
    end();
    orb_->destroy();
  }
  Passenger(const Passenger&) = delete;
  Passenger& operator=(const Passenger&) = delete;

  /// Waits for some more to have gone through. False if a call failed.
  bool see(int more) const {
    const int until = passed_ + more;
    while (passed_ < until && !failed_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return !failed_;
  }
  void end() {
    going_ = false;
    if (thread_.joinable()) thread_.join();
  }
  /// "giop+tcp": over what its calls go now.
  std::string goes_by() const {
    std::string ways;
    for (const auto& each : corbel::orb::conversations(*orb_)) {
      ways += (ways.empty() ? "" : ", ") + each.protocol + '+' + each.peer.substr(0, each.peer.find("://"));
    }
    return ways;
  }
  const std::string& way() const { return way_; }
  int passed() const { return passed_; }

 private:
  void walk() try {
    while (going_) {
      turnstile_->pass();
      ++passed_;
    }
  } catch (const CORBA::Exception& exception) {
    std::cerr << way_ << ": " << exception << '\n';
    failed_ = true;
  }

  const std::string way_;
  OrbRef orb_;
  IDL::traits<Station::Turnstile>::ref_type turnstile_;
  std::atomic<bool> going_{true};
  std::atomic<bool> failed_{false};
  std::atomic<int> passed_{0};
  std::thread thread_;
};

bool all_go_on(const std::list<Passenger>& passengers) {
  bool well = true;
  for (const Passenger& each : passengers) well = each.see(kEnough) && well;
  return well;
}

}  // namespace

int main(int argc, char* argv[]) try {
  auto orb = CORBA::ORB_init(argc, argv);
  if (argc < 2) {
    std::cerr << "usage: protocols_client REFERENCE [PLUG-IN ENDPOINT]\n";
    return 2;
  }
  auto works = IDL::traits<Station::Works>::narrow(orb->string_to_object(argv[1]));
  const std::string gate = orb->object_to_string(works->gate());
  std::list<Passenger> passengers;
  for (const char* const way : {"giop+tcp", "giop_lite+tcp", "giop+unix", "giop_lite+unix", "giop+shm"}) {
    passengers.emplace_back(way, gate);
  }
  bool well = all_go_on(passengers);
  for (const Passenger& each : passengers) {
    std::cout << "prefers " << std::left << std::setw(14) << each.way() << " goes by " << each.goes_by() << '\n';
    well = well && each.way() == each.goes_by();
  }

  if (argc > 3) {  // all of them go on meanwhile
    const std::string plugin = argv[2];
    const std::string endpoint = argv[3];
    const std::string transport = endpoint.substr(0, endpoint.find("://"));
    const std::string wider = orb->object_to_string(works->open_way(plugin, endpoint));
    const std::vector<std::string> knows_it{"-ORBLoad", plugin};
    const Passenger& late = passengers.emplace_back("giop+" + transport, wider, knows_it);
    well = all_go_on(passengers) && late.goes_by() == late.way() && well;
    std::cout << "loaded  " << std::setw(14) << transport << " goes by " << late.goes_by() << '\n';
    const bool gone = works->close_way(transport);
    well = all_go_on(passengers) && gone && late.goes_by() != late.way() && well;
    std::cout << "without " << std::setw(14) << transport << " goes by " << late.goes_by() << '\n';
  }

  uint64_t made = 0;
  for (Passenger& each : passengers) {
    each.end();
    made += static_cast<uint64_t>(each.passed());
  }
  const uint64_t served = works->gate()->passed();
  std::cout << (made == served ? "each call was served once" : "CALLS WERE LOST, OR SERVED TWICE") << '\n';
  passengers.clear();
  works->close();
  orb->destroy();
  return well && made == served ? 0 : 1;
} catch (const CORBA::Exception& exception) {
  std::cerr << "client: " << exception << '\n';
  return 1;
}
