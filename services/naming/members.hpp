// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "service.hpp"
#include "store.hpp"

namespace corbel::naming {

/// A thread that does something again and again, first after one interval. What that throws is swallowed. Its end waits
/// for what is being done.
class Periodic {
 public:
  Periodic(std::chrono::milliseconds interval, std::function<void()> work);
  ~Periodic() = default;
  Periodic(const Periodic&) = delete;
  Periodic& operator=(const Periodic&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable_any stopped_;
  std::jthread thread_;  // last: it uses the others
};

/// The processes that serve one store: this one says that it lives, and learns which others do, so that references to
/// contexts lead to all of them. One that was killed is known for `lease` longer: clients that try it go on to the
/// next. The store and the service must outlive it.
class Members {
 public:
  /// `published` are addresses that references contain, too, whoever listens there. Asks the store before it returns;
  /// if that is away, it is asked again later.
  Members(Store& store, Service& service, std::chrono::milliseconds lease, std::vector<Address> published);
  /// The others are told.
  ~Members();
  Members(const Members&) = delete;
  Members& operator=(const Members&) = delete;

 private:
  void announce();

  Store& store_;
  Service& service_;
  const std::chrono::milliseconds lease_;
  const std::vector<Address> published_;
  const std::string id_;
  const std::vector<Address> own_;
  std::unique_ptr<Periodic> heart_;
};

}  // namespace corbel::naming
