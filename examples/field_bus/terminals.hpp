// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "terminal.hpp"

namespace field_bus {

/// The terminals of this process. All its ORBs share them, as a process has few places on a bus. Thread-safe; while one
/// thread plugs in, others wait, within their own time.
class Terminals {
 public:
  /// One on this bus, whatever its address; plugs in if there is none. Errors: as Terminal::attach.
  corbel::base::Result<std::shared_ptr<Terminal>> any_at(const corbel::ipc::UnixAddress& bus,
                                                         corbel::base::Deadline deadline);
  /// The one of this address, listening. Errors (stage listen): address_in_use, and as Terminal::attach.
  corbel::base::Result<std::shared_ptr<Terminal>> listening_at(const corbel::ipc::UnixAddress& bus, unsigned address,
                                                               std::size_t backlog, corbel::base::Deadline deadline);

 private:
  template <class Suits>
  std::shared_ptr<Terminal> find(const corbel::ipc::UnixAddress& bus, Suits suits,
                                 std::vector<std::shared_ptr<Terminal>>& looked_at);
  template <class Suits>
  corbel::base::Result<std::shared_ptr<Terminal>> find_or_attach(const corbel::ipc::UnixAddress& bus, unsigned address,
                                                                 Suits suits, corbel::base::Deadline deadline);

  corbel::base::Mutex mutex_;  // guards what follows
  corbel::base::Condition changed_;
  bool attaching_ = false;
  std::vector<std::weak_ptr<Terminal>> all_;
};

}  // namespace field_bus
