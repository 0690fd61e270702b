// SPDX-License-Identifier: Apache-2.0
#include "members.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace corbel::naming {

Periodic::Periodic(std::chrono::milliseconds interval, std::function<void()> work)
    : thread_([this, interval, work = std::move(work)](const std::stop_token& stop) {
        std::unique_lock lock(mutex_);
        while (!stopped_.wait_for(lock, stop, interval, [&] { return stop.stop_requested(); })) {
          try {
            work();
          } catch (const std::exception&) {  // it is tried again
          }
        }
      }) {}

Members::Members(Store& store, Service& service, std::chrono::milliseconds lease, std::vector<Address> published)
    : store_(store),
      service_(service),
      lease_(lease),
      published_(std::move(published)),
      id_(hex(random_number())),
      own_(service.own_addresses()) {
  service_.set_addresses(published_);
  if (!store_.shared()) return;
  try {
    announce();
  } catch (const StoreError&) {  // has been told; it is tried again
  }
  // Twice before the others forget it.
  heart_ = std::make_unique<Periodic>(lease_ / 3, [this] { announce(); });
}

Members::~Members() {
  heart_.reset();
  if (!store_.shared()) return;
  try {
    store_.announce(id_, {}, lease_);
  } catch (const StoreError&) {  // they will notice
  }
}

void Members::announce() {
  std::vector<Address> all = store_.announce(id_, own_, lease_);
  // Each begins with the one after it, so that those who lose a server do not all go to the same one.
  const auto self = std::find_if(all.begin(), all.end(), [&](const Address& each) {
    return std::find(own_.begin(), own_.end(), each) != own_.end();
  });
  std::rotate(all.begin(), self, all.end());
  all.insert(all.end(), published_.begin(), published_.end());
  service_.set_addresses(std::move(all));
}

}  // namespace corbel::naming
