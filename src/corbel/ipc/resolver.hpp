// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "corbel/base/deadline.hpp"
#include "corbel/base/export.hpp"
#include "corbel/base/fork.hpp"
#include "corbel/ipc/inet_address.hpp"

namespace corbel::ipc {

/// Host names into addresses by a deadline. The system's resolver knows none (a name server that does not answer costs
/// it many seconds), so it runs on a thread of its own, and who has waited long enough goes away. Numeric addresses and
/// callers without a deadline need no thread. Any thread may call it.
///
/// Lookups that nobody waits for any more end by themselves, also when this has gone; there are never more than
/// `max_threads`, and those for the same name share one.
class CORBEL_API Resolver final {
 public:
  /// What asks the system: like InetAddress::resolve.
  using Lookup = std::function<base::Result<std::vector<InetAddress>>(std::string_view host, std::uint16_t port)>;

  explicit Resolver(Lookup lookup = &InetAddress::resolve, unsigned max_threads = 16);
  ~Resolver();
  Resolver(const Resolver&) = delete;
  Resolver& operator=(const Resolver&) = delete;

  /// As InetAddress::resolve; also timed_out.
  base::Result<std::vector<InetAddress>> resolve(std::string_view host, std::uint16_t port, base::Deadline deadline);
  /// Lookups under way.
  unsigned threads() const;

 private:
  struct Job;
  struct State;
  void after_fork() noexcept;

  std::shared_ptr<State> state_;
  base::ForkHook fork_hook_{[](void* self) noexcept { static_cast<Resolver*>(self)->after_fork(); }, this};
};

}  // namespace corbel::ipc
