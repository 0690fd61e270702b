// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "corbel/base/fork.hpp"
#include "corbel/ipc/event.hpp"
#include "corbel/transport/transport.hpp"

namespace corbel::transport::inproc {

/// The accept queue of one name. Thread-safe.
class Listener {
 public:
  Listener(ipc::Event waiting, std::size_t backlog, base::Duration spin)
      : waiting_(std::move(waiting)), backlog_(backlog), spin_(spin) {}

  /// Queues the server's end of a new conversation; a full queue holds the caller up, whom another thread may end.
  /// Errors (stage connect): refused after close(), cancelled, timed_out, would_block.
  base::Status push(std::unique_ptr<Transport> transport, base::Deadline deadline);
  base::Result<std::unique_ptr<Transport>> pop();
  /// Refuses from now on; peers in the queue see the end of their streams.
  void close() noexcept;
  /// What the server asked for: Options::spin.
  base::Duration spin() const noexcept { return spin_; }
  /// Readable while a connection waits in the queue.
  int handle() const noexcept { return waiting_.handle(); }

 private:
  const ipc::Event waiting_;
  const std::size_t backlog_;
  const base::Duration spin_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable room_;
  std::deque<std::unique_ptr<Transport>> queue_;
  bool closed_ = false;
};

/// The listeners, by name. In a forked child it begins anew: those of the parent wait for nobody there. Thread-safe.
class Hub {
 public:
  Hub();
  /// Random; tells this hub from those of other processes.
  std::string id();
  /// A name that no other listener uses.
  std::string unused_name();
  /// Error (stage listen): address_in_use.
  base::Status add(const std::string& name, std::shared_ptr<Listener> listener);
  void remove(const std::string& name, const Listener& listener) noexcept;
  /// Null if there is no such listener.
  std::shared_ptr<Listener> find(const std::string& name);
  /// Counts conversations, to tell them apart in diagnostics.
  std::uint64_t next_number();

 private:
  void renew();

  base::ForkMutex mutex_;  // guards what follows
  std::uint32_t process_;
  std::string id_;
  std::map<std::string, std::shared_ptr<Listener>, std::less<>> listeners_;
  std::uint64_t numbers_ = 0;
};

}  // namespace corbel::transport::inproc
