// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <exception>
#include <span>
#include <string_view>

#include "corbel/corba/deferred_reply.hpp"
#include "corbel/orb/deferrals.hpp"
#include "corbel/orb/object_adapter.hpp"

namespace corbel::orb {

/// What requests of other processes and of this one have in common while they wait for their answers: they are listed,
/// they run as far as their object adapter is concerned, and their memory is counted. Made on the thread that runs the
/// request.
class PendingReply : public corba::DeferredReply, public Deferral {
 protected:
  PendingReply(Deferrals& all, const connection::Connection* connection, const messaging::Origin& origin,
               std::span<const std::string_view> raises) noexcept
      : Deferral(connection, origin), all_(all), raises_(raises) {}

  /// It is complete: another thread may answer it before this returns. Throws NO_RESOURCES, COMPLETED_NO, if there is
  /// no memory for it, and TRANSIENT if the ORB ends: it is to be forgotten then.
  void begin(base::SharedPtr<PendingReply> self, std::size_t octets);
  /// It has been answered. The last that its ORB is used for.
  void finish() noexcept;
  /// Throws the exception as a servant that threw it would have it thrown on: as the mapping has it.
  [[noreturn]] static void rethrow(const std::exception_ptr& exception);
  /// What a client is told that nobody has answered. `ended`: its ORB ended before.
  [[noreturn]] void throw_never_answered(std::string_view operation, bool ended) const;
  void end() noexcept final;
  virtual void give_up(bool ended) noexcept = 0;
  void give_up() noexcept final { give_up(false); }
  void tell_lost(const std::exception_ptr& exception) noexcept final;

  Deferrals& all() const noexcept { return all_; }
  const base::Log& log() const noexcept { return all_.log(); }
  std::span<const std::string_view> raises() const noexcept { return raises_; }

 private:
  void give_back() noexcept;

  Deferrals& all_;
  const std::span<const std::string_view> raises_;
  ObjectAdapter* adapter_ = nullptr;  // not null while it is counted
  ObjectAdapter::Hold hold_;
  std::size_t octets_ = 0;
};

}  // namespace corbel::orb
