// SPDX-License-Identifier: Apache-2.0
// What `corbel doctor` finds out about a reference.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "corbel/ior/ior.hpp"

namespace corbel::tool {

/// One thing that was found.
struct Finding {
  enum class Level { good, note, problem } level = Level::good;
  std::string where;   ///< the address, or what else it is about
  std::string text;    ///< in words
  std::string advice;  ///< what to do; empty if nothing
  double milliseconds = -1;
};

/// What a server's side of a reference is like, most useful last.
enum class Reached {
  nothing,  ///< no connection
  silence,  ///< a connection, but no sensible answer
  server,   ///< an ORB that does not know the object
  object,   ///< an ORB that says that the object is there (or elsewhere)
};

/// Where a profile says that the object is.
struct Place {
  enum class Kind { tcp, tls, unix_socket } kind = Kind::tcp;
  std::string host;  ///< or the path
  std::uint16_t port = 0;
  ior::Version version;
  base::Bytes key;
  bool speaks_giop = true;  ///< else only the connection is tried
  std::string text() const;
};

/// All places that the profiles name; what cannot be used is a finding.
std::vector<Place> places_of(const ior::Ior& ior, std::vector<Finding>& findings);

/// True if a profile names a group of objects, to which oneways are sent (UIPMC).
bool names_group(const ior::Ior& ior);

/// What the reference itself shows, without asking any server: hosts that only this machine knows, code sets, TLS.
void judge(const ior::Ior& ior, std::vector<Finding>& findings);

/// Resolves, connects to every address and asks there for the object with a LocateRequest of its own, each step within
/// `timeout`. A forward that was answered is put into `forward`.
Reached probe(const Place& place, std::chrono::milliseconds timeout, std::vector<Finding>& findings,
              std::optional<ior::Ior>& forward);

/// Asks for the object through TLS, as the environment says (CORBEL_TLS_...), at a place that accepts connections.
Reached ask_by_tls(const Place& place, std::chrono::milliseconds timeout, std::vector<Finding>& findings);

/// True for an object key that Corbel made for a transient object.
bool is_transient_key(base::ConstByteSpan key);

}  // namespace corbel::tool
