// SPDX-License-Identifier: Apache-2.0
#include <avahi-client/client.h>
#include <avahi-client/publish.h>
#include <avahi-common/alternative.h>
#include <avahi-common/error.h>
#include <avahi-common/malloc.h>
#include <avahi-common/thread-watch.h>

#include <stdexcept>
#include <utility>

#include "discovery.hpp"
#include "discovery_type.hpp"

namespace corbel::naming {

/// After the constructor all of it happens on Avahi's thread, but for the destructor, which ends that first.
class Advertisement::Teller {
 public:
  Teller(std::string name, std::uint16_t port, std::function<void(const std::string&)> said)
      : name_(std::move(name)), port_(port), said_(std::move(said)), poll_(avahi_threaded_poll_new()) {
    if (poll_ == nullptr) throw std::runtime_error("no memory for Avahi's thread");
    connect();
    if (client_ == nullptr || avahi_threaded_poll_start(poll_) != 0) {
      release();
      throw std::runtime_error("the network cannot be told of this service: " + why_);
    }
  }
  ~Teller() {
    avahi_threaded_poll_stop(poll_);
    release();
  }
  Teller(const Teller&) = delete;
  Teller& operator=(const Teller&) = delete;

 private:
  /// Waits for the daemon, too, if it is not there.
  void connect() {
    int error = 0;
    client_ = avahi_client_new(avahi_threaded_poll_get(poll_), AVAHI_CLIENT_NO_FAIL, &Teller::changed, this, &error);
    if (client_ == nullptr) why_ = avahi_strerror(error);
  }
  void release() {
    if (client_ != nullptr) avahi_client_free(client_);
    avahi_threaded_poll_free(poll_);
  }

  /// Called before avahi_client_new() has returned, too.
  static void changed(AvahiClient* client, AvahiClientState state, void* self) {
    auto& teller = *static_cast<Teller*>(self);
    teller.client_ = client;
    switch (state) {
      case AVAHI_CLIENT_S_RUNNING:
        return teller.tell();
      case AVAHI_CLIENT_S_COLLISION:
      case AVAHI_CLIENT_S_REGISTERING:  // the host's name changes; then it runs again
        if (teller.group_ != nullptr) avahi_entry_group_reset(teller.group_);
        return;
      case AVAHI_CLIENT_CONNECTING:
        return teller.said_("the network is told of this service when avahi-daemon runs");
      case AVAHI_CLIENT_FAILURE:
        return teller.begin_again();
    }
  }

  void begin_again() {
    const int error = avahi_client_errno(client_);
    said_(std::string("the network is not told of this service any more: ") + avahi_strerror(error));
    if (error != AVAHI_ERR_DISCONNECTED) return;
    group_ = nullptr;  // goes with its client
    avahi_client_free(std::exchange(client_, nullptr));
    connect();
  }

  void tell() {
    if (group_ == nullptr) group_ = avahi_entry_group_new(client_, &Teller::told, this);
    if (group_ == nullptr) return complain(avahi_client_errno(client_));
    if (avahi_entry_group_is_empty(group_) == 0) return;
    int error = AVAHI_ERR_COLLISION;
    for (int attempt = 0; attempt < 100 && error == AVAHI_ERR_COLLISION; ++attempt) {
      if (attempt != 0) rename();
      error =
          avahi_entry_group_add_service(group_, AVAHI_IF_UNSPEC, AVAHI_PROTO_UNSPEC, {}, name_.c_str(), kServiceType,
                                        nullptr, nullptr, port_, "txtvers=1", "key=NameService", nullptr);
    }
    if (error == AVAHI_OK) error = avahi_entry_group_commit(group_);
    if (error != AVAHI_OK) complain(error);
  }

  static void told(AvahiEntryGroup* group, AvahiEntryGroupState state, void* self) {
    auto& teller = *static_cast<Teller*>(self);
    teller.group_ = group;
    if (state == AVAHI_ENTRY_GROUP_FAILURE) teller.complain(avahi_client_errno(teller.client_));
    if (state != AVAHI_ENTRY_GROUP_COLLISION) return;
    teller.rename();
    avahi_entry_group_reset(group);
    teller.tell();
  }

  void rename() {
    char* const other = avahi_alternative_service_name(name_.c_str());
    if (other == nullptr) return;
    name_ = other;
    avahi_free(other);
    said_("another service has that name on the network; this one is '" + name_ + "' there");
  }
  void complain(int error) {
    said_(std::string("the network cannot be told of this service: ") + avahi_strerror(error));
  }

  std::string name_;
  const std::uint16_t port_;
  const std::function<void(const std::string&)> said_;
  std::string why_ = "no thread";
  AvahiThreadedPoll* const poll_;
  AvahiClient* client_ = nullptr;
  AvahiEntryGroup* group_ = nullptr;
};

Advertisement::Advertisement(const std::string& name, std::uint16_t port, std::function<void(const std::string&)> said)
    : teller_(std::make_unique<Teller>(name, port, std::move(said))) {}

Advertisement::~Advertisement() = default;

}  // namespace corbel::naming
