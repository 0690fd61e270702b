// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "corbel/base/export.hpp"
#include "corbel/base/result.hpp"
#include "corbel/ipc/unix_address.hpp"

namespace corbel::ipc {

/// Where local sockets lie whose names do not matter: one folder for each user, which no other user may enter
/// ($XDG_RUNTIME_DIR/corbel, else /tmp/corbel-UID). The names tell which process made them. Processes that were killed
/// leave theirs behind; the next one that starts removes them. Move-only.
class CORBEL_API SocketFolder {
 public:
  /// The user's, made if need be. Where another user has taken that name, another one that all processes of the user
  /// find, beside it. Errors: stage listen.
  static base::Result<SocketFolder> open();
  /// The same in `parent` instead of /tmp, whatever the environment says.
  static base::Result<SocketFolder> open_below(const std::string& parent);
  SocketFolder() noexcept = default;
  SocketFolder(SocketFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  SocketFolder& operator=(SocketFolder&& other) noexcept {
    std::swap(path_, other.path_);
    return *this;
  }
  ~SocketFolder() { leave(); }

  const std::string& path() const noexcept { return path_; }
  /// A name that this process has not used yet. Error: too_large.
  base::Result<UnixAddress> next_name() const;
  /// Removes what processes that do not exist any more left behind. (One of another PID namespace does not seem to
  /// exist; if its sockets can be connected to, they stay.)
  void sweep() const;
  /// Removes the folder, if nothing is in it.
  void leave() noexcept;
  /// Leaves it where it is, for what its path is given to; the path.
  std::string keep() noexcept { return std::exchange(path_, {}); }

 private:
  explicit SocketFolder(std::string path) noexcept : path_(std::move(path)) {}

  std::string path_;
};

}  // namespace corbel::ipc
