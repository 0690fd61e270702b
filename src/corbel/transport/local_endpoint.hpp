// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "corbel/ipc/unix_address.hpp"
#include "corbel/transport/endpoint_text.hpp"

namespace corbel::transport {

/// An address of the UNIX domain of one machine: "/path" or "@name", behind the machine's name if there is one, because
/// references travel and other machines have the same paths; or nothing (to listen on a generated path). `Scheme` has
/// the name of the transport, kScheme, and is_here(name of a machine), and makes its endpoints a type of their own.
template <class Scheme>
class LocalEndpoint final : public TextEndpoint {
 public:
  LocalEndpoint(std::string machine, const ipc::UnixAddress& address)
      : TextEndpoint(Scheme::kScheme, machine + address.to_string()), machine_(std::move(machine)), address_(address) {}

  static base::Result<EndpointPtr> parse(std::string_view text) {
    const base::Error bad = base::error(base::Stage::resolve, base::Code::bad_argument);
    if (!is_printable(text)) return bad;
    if (text.empty()) return EndpointPtr(std::make_shared<LocalEndpoint>("", ipc::UnixAddress()));
    const std::size_t begin = text.find_first_of("/@");
    if (begin == std::string_view::npos) return bad;
    const std::string_view name = text.substr(begin);
    CORBEL_TRY(const ipc::UnixAddress address,
               name[0] == '@' ? ipc::UnixAddress::abstract(name.substr(1)) : ipc::UnixAddress::path(name));
    if (address.to_string() != name) return bad;  // it would need escapes, which are for diagnostics
    return EndpointPtr(std::make_shared<LocalEndpoint>(std::string(text.substr(0, begin)), address));
  }

  Reach reach() const noexcept override { return Reach::this_host; }
  const ipc::UnixAddress& unix_address() const noexcept { return address_; }
  bool is_here() const { return machine_.empty() || Scheme::is_here(machine_); }

 private:
  std::string machine_;
  ipc::UnixAddress address_;
};

}  // namespace corbel::transport
