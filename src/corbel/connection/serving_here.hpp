// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace corbel::connection {

class Connection;
class Framer;

/// The connection whose requests the calling thread runs; null if it runs none that came over one. It lives as long as
/// the request.
Connection* serving_here() noexcept;

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
