// SPDX-License-Identifier: Apache-2.0
#include "discovery.hpp"

#include <avahi-client/lookup.h>
#include <avahi-common/error.h>
#include <avahi-common/simple-watch.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "discovery_type.hpp"

namespace corbel::naming {
namespace {

constexpr std::size_t kMostFound = 256;

/// One look at the network. On one thread: Avahi calls back from the loop.
class Search {
 public:
  Search() : poll_(avahi_simple_poll_new(), &avahi_simple_poll_free) {
    if (poll_ == nullptr) throw std::runtime_error("no memory for Avahi's loop");
    int error = 0;
    client_.reset(avahi_client_new(avahi_simple_poll_get(poll_.get()), {}, &Search::ignore, this, &error));
    if (client_ == nullptr) fail(error);
    browser_ = avahi_service_browser_new(client_.get(), AVAHI_IF_UNSPEC, AVAHI_PROTO_UNSPEC, kServiceType, nullptr, {},
                                         &Search::browsed, this);
    if (browser_ == nullptr) fail(avahi_client_errno(client_.get()));
  }

  std::vector<Discovered> run(std::chrono::milliseconds patience) {
    const auto end = std::chrono::steady_clock::now() + patience;
    while (!all_named_ || resolving_ != 0) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
      if (left.count() <= 0 || avahi_simple_poll_iterate(poll_.get(), static_cast<int>(left.count())) != 0) break;
      if (failed_ != 0) fail(failed_);
    }
    return std::move(found_);
  }

 private:
  [[noreturn]] static void fail(int error) {
    throw std::runtime_error(std::string("multicast DNS, through avahi-daemon: ") + avahi_strerror(error));
  }
  static void ignore(AvahiClient*, AvahiClientState, void*) {}

  static void browsed(AvahiServiceBrowser*, AvahiIfIndex interface, AvahiProtocol protocol, AvahiBrowserEvent event,
                      const char* name, const char* type, const char* domain, AvahiLookupResultFlags, void* self) {
    auto& search = *static_cast<Search*>(self);
    if (event == AVAHI_BROWSER_ALL_FOR_NOW) search.all_named_ = true;
    if (event == AVAHI_BROWSER_FAILURE) search.failed_ = avahi_client_errno(search.client_.get());
    if (event != AVAHI_BROWSER_NEW || search.asked_ == kMostFound) return;
    if (avahi_service_resolver_new(search.client_.get(), interface, protocol, name, type, domain, AVAHI_PROTO_UNSPEC,
                                   {}, &Search::resolved, self) == nullptr) {
      return;
    }
    ++search.asked_;
    ++search.resolving_;
  }

  static void resolved(AvahiServiceResolver* resolver, AvahiIfIndex, AvahiProtocol, AvahiResolverEvent event,
                       const char* name, const char*, const char*, const char* host, const AvahiAddress* address,
                       std::uint16_t port, AvahiStringList*, AvahiLookupResultFlags, void* self) {
    auto& search = *static_cast<Search*>(self);
    if (event == AVAHI_RESOLVER_FOUND) search.add(name, host, *address, port);
    --search.resolving_;
    avahi_service_resolver_free(resolver);
  }

  void add(const char* name, const char* host, const AvahiAddress& address, std::uint16_t port) {
    std::array<char, AVAHI_ADDRESS_STR_MAX> text{};
    avahi_address_snprint(text.data(), text.size(), &address);
    Discovered one{name, host, text.data(), port};
    // An address that is good on one link only says nothing without the link.
    if (one.address.starts_with("fe80:") || std::find(found_.begin(), found_.end(), one) != found_.end()) return;
    found_.push_back(std::move(one));
  }

  std::unique_ptr<AvahiSimplePoll, decltype(&avahi_simple_poll_free)> poll_;
  std::unique_ptr<AvahiClient, decltype(&avahi_client_free)> client_{nullptr, &avahi_client_free};
  AvahiServiceBrowser* browser_ = nullptr;  // the client's, as the resolvers are
  std::vector<Discovered> found_;
  bool all_named_ = false;
  std::size_t asked_ = 0;
  std::size_t resolving_ = 0;
  int failed_ = 0;
};

}  // namespace

std::string url_of(const Discovered& found) {
  const bool is_six = found.address.find(':') != std::string::npos;
  return "corbaloc::" + (is_six ? '[' + found.address + ']' : found.address) + ':' + std::to_string(found.port) +
         "/NameService";
}

std::vector<Discovered> discover(std::chrono::milliseconds patience) {
  return Search().run(patience);
}

}  // namespace corbel::naming
