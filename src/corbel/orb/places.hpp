// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "corbel/base/intrusive_ptr.hpp"
#include "corbel/ior/ior.hpp"
#include "corbel/routing/registry.hpp"

namespace corbel::orb {

/// What the places in this process are called in texts and in the log.
inline constexpr std::string_view kHere = "this process";

/// Where a reference leads to, in its order.
struct Ways {
  std::vector<routing::Route> routes;
  bool first_here =
      false;  ///< the first leads to an adapter of this process, which is to be asked without a connection
  std::shared_ptr<const ior::Ior> reference = {};  ///< that they are of; null: the one that is called

  Ways(std::vector<routing::Route> all, bool here = false) noexcept  // NOLINT(google-explicit-constructor)
      : routes(std::move(all)), first_here(here) {}
};

/// All ways to reach an object in the order in which they are tried: those of its reference and, right after each that
/// forwarded, those that it forwarded to, which may have forwarded in turn. Only one chain of places that forwarded is
/// kept: what a place forwarded to is cut out when the calls have moved on from there. Of a reference's places the
/// first kMost are kept.
class Places : public base::RefCounted {
 public:
  /// A reference, or a forward, may name as many addresses as fit into a message; a call is not to connect to thousands
  /// of hosts of another's choice. As many as the profiles of a reference by default (-ORBMaxProfiles).
  static constexpr std::size_t kMost = 64;

  struct Place {
    routing::Route route;
    unsigned depth = 0;  ///< forwards that led here
    bool here = false;   ///< an adapter of this process, which is asked without a connection
    std::shared_ptr<const ior::Ior> reference = {};  ///< as Ways has it
  };

  /// `parts`: Registry::changes() before the routes were made.
  explicit Places(Ways ways, std::uint32_t parts = 0);

  /// Other parts of the ORB may lead elsewhere.
  std::uint32_t parts() const noexcept { return parts_; }
  std::size_t size() const noexcept { return all_.size(); }
  const Place& operator[](std::size_t index) const noexcept { return all_[index]; }
  /// Inserts `ways` after the place that forwarded to them, instead of what it forwarded to before.
  void splice(std::size_t index, Ways ways);
  /// Leads to `ways` and nowhere else.
  void replace(Ways ways);
  /// Requests name the object there so from now on; null: by its key.
  void set_address(std::size_t index, std::shared_ptr<const messaging::TargetAddress> address) {
    all_[index].route.address = std::move(address);
  }
  /// Cuts what the place at `index` forwarded to.
  void cut_below(std::size_t index);
  /// Cuts what other places forwarded to than those that lead to the one at `index`. Where that is then.
  std::size_t keep_chain(std::size_t index);
  /// The place of the reference itself whose forwards lead to `index`.
  std::size_t origin(std::size_t index) const noexcept;

 private:
  static std::vector<Place> places_of(Ways ways, unsigned depth);

  std::vector<Place> all_;
  const std::uint32_t parts_;
};
using PlacesPtr = base::IntrusivePtr<const Places>;

}  // namespace corbel::orb
