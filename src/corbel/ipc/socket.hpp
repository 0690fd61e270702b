// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/socket.h>

#include <utility>

#include "corbel/ipc/handle.hpp"
#include "corbel/ipc/os_error.hpp"
#include "corbel/ipc/socket_options.hpp"

namespace corbel::ipc {

/// What every socket has, whatever its role: an owned handle and the options of its role. Move-only.
template <Role kRole>
class Socket {
 public:
  bool is_open() const noexcept { return static_cast<bool>(handle_); }
  /// The descriptor, still owned by the socket (a controlled escape; -1 if closed).
  int handle() const noexcept { return handle_.get(); }
  /// Switches the handle between blocking and non-blocking operation. Sockets start out blocking.
  base::Status set_non_blocking(bool on) noexcept { return ipc::set_non_blocking(handle(), on); }

  /// Sets an option from ipc::option that this role has. Error: as the system says, stage configure.
  template <class Option>
  requires(includes(Option::kRoles, kRole) && Option::kWritable) base::Status
      set(const Option& option, const typename Option::Value& value)
  noexcept {
    const auto native = detail::OptionCodec<typename Option::Value>::encode(value);
    if (::setsockopt(handle(), option.level, option.name, &native, sizeof native) != 0) {
      return last_failure(base::Stage::configure);
    }
    return {};
  }

  /// Reads an option from ipc::option that this role has. Error: as the system says, stage configure.
  template <class Option>
  requires(includes(Option::kRoles, kRole)) base::Result<typename Option::Value> get(const Option& option)
  const noexcept {
    using Codec = detail::OptionCodec<typename Option::Value>;
    typename Codec::Native native{};
    socklen_t size = sizeof native;
    if (::getsockopt(handle(), option.level, option.name, &native, &size) != 0) {
      return last_failure(base::Stage::configure);
    }
    return Codec::decode(native);
  }

 protected:
  Socket() noexcept = default;
  explicit Socket(Handle handle) noexcept : handle_(std::move(handle)) {}
  Socket(Socket&&) noexcept = default;
  Socket& operator=(Socket&&) noexcept = default;
  ~Socket() = default;

  Handle handle_;
};

template <class Address>
inline constexpr Role kStreamRole = Address::kInternet ? Role::inet_stream : Role::unix_stream;
template <class Address>
inline constexpr Role kAcceptorRole = Address::kInternet ? Role::inet_acceptor : Role::unix_acceptor;

namespace detail {

/// getsockname or getpeername, as an Address.
template <class Address>
base::Result<Address> socket_name(int descriptor, int (*ask)(int, sockaddr*, socklen_t*) noexcept) noexcept {
  sockaddr_storage storage{};
  socklen_t size = sizeof storage;
  auto* name = reinterpret_cast<sockaddr*>(&storage);
  if (ask(descriptor, name, &size) != 0) return last_failure(base::Stage::configure);
  return Address::from_native(name, size);
}

}  // namespace detail
}  // namespace corbel::ipc
