// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/reactor/thread_pool.hpp"

namespace corbel::connection {

class Connection;
class Framer;

namespace detail {
// In a shared library the usual model is a function call each time.
[[gnu::tls_model("initial-exec"), gnu::visibility("hidden")]] extern constinit thread_local Connection* t_serving_here;
}  // namespace detail

/// The connection whose requests the calling thread runs; null if it runs none that came over one. It lives as long as
/// the request.
inline Connection* serving_here() noexcept {
  return detail::t_serving_here;
}
/// The calling thread is going to wait for a reply: if it runs a request, another one leads its pool meanwhile.
inline void about_to_wait_here() {
  if (serving_here() != nullptr) [[unlikely]]
    reactor::ThreadPool::promote_follower();
}

/// Makes it the connection of another thread, which waits meanwhile: that has passed on to this one what it runs.
class ServingHere {
 public:
  /// `framer`: it reads the requests from there.
  explicit ServingHere(Connection* connection, const Framer* framer = nullptr) noexcept;
  ~ServingHere();
  ServingHere(const ServingHere&) = delete;
  ServingHere& operator=(const ServingHere&) = delete;

 private:
  Connection* const previous_;
  const Framer* const previous_framer_;
};

}  // namespace corbel::connection
