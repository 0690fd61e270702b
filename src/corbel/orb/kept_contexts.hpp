// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "corbel/base/bytes.hpp"
#include "corbel/messaging/message.hpp"

namespace corbel::orb {

/// A list of service contexts that owns their octets. No id is in it twice, unless the peer sent it so.
class KeptContexts {
 public:
  struct Context {
    std::uint32_t id = 0;
    base::Bytes data;
  };

  /// The octets of the first one with the id; nullptr if there is none.
  const base::Bytes* find(std::uint32_t id) const noexcept;
  /// Adds one. False, with nothing changed, if there is one with the id already and it may not be replaced.
  bool add(std::uint32_t id, base::Bytes data, bool replace);
  /// Takes copies of those of a message.
  void keep(const messaging::ServiceContextView& contexts);
  void clear() noexcept { all_.clear(); }
  bool empty() const noexcept { return all_.empty(); }
  const std::vector<Context>& all() const noexcept { return all_; }
  /// Appends views of them, which live as long as this is not changed.
  void view(std::vector<messaging::ServiceContext>& into) const;

 private:
  std::vector<Context> all_;
};

}  // namespace corbel::orb
