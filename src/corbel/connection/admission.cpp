// SPDX-License-Identifier: Apache-2.0
#include "corbel/connection/admission.hpp"

#include <unistd.h>

#include <algorithm>

#include "corbel/ipc/inet_address.hpp"
#include "corbel/ipc/subscriber.hpp"

namespace corbel::connection {
namespace {

constexpr std::size_t kFewest = 16;
constexpr std::size_t kUnlimited = 1U << 20;

std::size_t what_the_system_allows() noexcept {
  const long limit = ::sysconf(_SC_OPEN_MAX);
  const std::size_t descriptors = limit < 0 ? kUnlimited : std::min(static_cast<std::size_t>(limit), kUnlimited);
  return std::max(descriptors - descriptors / 8, kFewest);
}

}  // namespace

std::size_t share_for_outgoing() noexcept {
  const long limit = ::sysconf(_SC_OPEN_MAX);
  const std::size_t descriptors = limit < 0 ? kUnlimited : std::min(static_cast<std::size_t>(limit), kUnlimited);
  return std::max(descriptors / 8, 2 * kFewest) - kFewest;  // the process has other descriptors than connections
}

namespace {

std::string_view without_port(std::string_view address) noexcept {
  const std::size_t begin = address.find("://");
  const std::size_t colon = address.rfind(':');
  if (begin == std::string_view::npos || colon < begin + 3 || colon + 1 == address.size()) return {};
  const std::string_view port = address.substr(colon + 1);
  const bool digits = std::all_of(port.begin(), port.end(), [](char c) { return c >= '0' && c <= '9'; });
  return digits ? address.substr(0, colon) : std::string_view();
}

}  // namespace

std::string peer_host(std::string_view address) {
  const std::string_view whole = without_port(address);
  const std::size_t open = whole.find("://[");
  if (open == std::string_view::npos || whole.back() != ']') return std::string(whole);
  const std::string_view scheme = whole.substr(0, open + 3);
  const std::string_view inside = whole.substr(open + 4, whole.size() - open - 5);
  // Zones are kept as text: what the system says of them changes when interfaces come and go.
  const std::string_view six = inside.substr(0, inside.find('%'));
  const auto parsed = ipc::InetAddress::parse(six, 0);
  if (!parsed) return std::string(whole);
  const ipc::InetAddress own = ipc::subscriber(*parsed);
  std::string host(scheme);
  if (!own.is_v6()) return host += own.host();
  return host.append(1, '[').append(own.host()).append(inside.substr(six.size())).append(1, ']');
}

std::size_t Admission::most() noexcept {
  if (most_ != 0) return most_;
  if (known_most_ == 0) known_most_ = what_the_system_allows();
  return known_most_;
}

Admission::Verdict Admission::judge(std::string_view host, std::size_t count) {
  if (count >= most()) {
    known_most_ = 0;  // it may have been raised
    if (count >= most()) return Verdict::full;
  }
  if (host.empty()) return Verdict::welcome;
  const auto found = hosts_.find(host);
  const std::size_t of_host = found == hosts_.end() ? 0 : found->second;
  const std::size_t most_of_host = most_of_host_ != 0 ? most_of_host_ : std::max<std::size_t>(most() / 2, 1);
  return of_host >= most_of_host ? Verdict::host_full : Verdict::welcome;
}

std::string_view Admission::came(std::string_view host) {
  if (host.empty()) return {};
  const auto of_host = hosts_.try_emplace(std::string(host), 0).first;
  ++of_host->second;
  return of_host->first;
}

void Admission::went(std::string_view host) noexcept {
  const auto found = hosts_.find(host);
  if (found != hosts_.end() && --found->second == 0) hosts_.erase(found);
}

}  // namespace corbel::connection
