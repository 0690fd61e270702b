// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

/// Naming services of the local network: DNS-SD (RFC 6763) over multicast DNS, through Avahi's daemon. Anybody on the
/// network may say anything there; what is found is a hint, and no more to be trusted than the network.
namespace corbel::naming {

/// A service as it told of itself.
struct Discovered {
  std::string name;
  std::string host;
  std::string address;  ///< numeric
  std::uint16_t port = 0;
  friend bool operator==(const Discovered&, const Discovered&) = default;
};

/// "corbaloc::192.0.2.1:2809/NameService".
std::string url_of(const Discovered& found);

/// Those that answer, at most 256: until the daemon says that these are all, or `patience` is over. Throws
/// std::runtime_error, which says what is the matter with the daemon.
std::vector<Discovered> discover(std::chrono::milliseconds patience);

/// Tells the network of a service at this port of this host, as long as it lives. If another service has the name it
/// takes one like it; if the daemon is away or starts again it waits for it. Has a thread of its own, which calls
/// `said` with what people should know.
class Advertisement {
 public:
  /// Throws std::runtime_error if nothing can be told of.
  Advertisement(const std::string& name, std::uint16_t port, std::function<void(const std::string&)> said);
  ~Advertisement();
  Advertisement(const Advertisement&) = delete;
  Advertisement& operator=(const Advertisement&) = delete;

 private:
  class Teller;
  std::unique_ptr<Teller> teller_;
};

}  // namespace corbel::naming
