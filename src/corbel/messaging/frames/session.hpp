// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "corbel/messaging/frames/names.hpp"
#include "corbel/messaging/frames/tally.hpp"
#include "corbel/messaging/session.hpp"

namespace corbel::messaging::frames {

/// A stream of frames: what the indices mean, and what was counted.
class FramesSession final : public Session {
 public:
  explicit FramesSession(const SessionSettings& settings) noexcept
      : Session(settings),
        limits_(settings.limits),
        lossy_(settings.lossy),
        now_(settings.now),
        taken_(settings.memory) {}

  base::Status take(base::ConstByteSpan octets, Incoming& incoming) override;
  /// Fails with unsupported if a reply is wanted.
  void put_request(cdr::Encoder& encoder, Token token, const OutgoingRequest& request, BodyWriter body) override;
  void unsent() noexcept override { given_.untell(); }
  void report(base::FunctionRef<void(const Figure&)> visit) const override;

 private:
  base::Status read(base::ConstByteSpan frame, bool swapped, Incoming& incoming);
  std::uint32_t microseconds() const { return static_cast<std::uint32_t>(now_() / 1000); }

  const cdr::Limits limits_;
  const bool lossy_;
  std::int64_t (*const now_)();

  // The writer's.
  GivenNames given_;
  std::atomic<std::uint64_t> sent_{0};  // its lower half is the next sequence number

  // The reader's.
  TakenNames taken_;
  Tally tally_;
};

}  // namespace corbel::messaging::frames
