// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "corbel/base/deadline.hpp"
#include "corbel/base/error.hpp"
#include "corbel/base/intrusive_ptr.hpp"
#include "corbel/corba/failure.hpp"
#include "corbel/ior/ior.hpp"
#include "corbel/orb/places.hpp"

namespace corbel::orb {

/// Where a server sends its callers.
struct Forward {
  ior::Ior ior;
  bool permanent = false;  ///< the reference that led there is not to be used any more
};

/// A system exception that a server answered with. Its detail is what the server says about it
/// (ExceptionDetailMessage): printable, bounded.
struct Refusal : corba::SystemFailure {
  /// True if the server did not execute the request and another one might, or may know better: such an exception is
  /// looked at before it is raised.
  bool asks_elsewhere() const noexcept;
};

/// The server has not executed the request, because it wants its target named otherwise (NEEDS_ADDRESSING_MODE).
struct Readdressing {
  messaging::TargetAddress::By by = messaging::TargetAddress::By::key;
};

/// Decides what is done after an attempt to carry out a call, for calls of all kinds: whether the request is sent again
/// and where, and what the caller is told in the end. What may have been executed is never repeated. Each place is
/// asked a bounded number of times: up to kMaxRetries again while connections end before it has executed anything, once
/// more if it wants its target named otherwise, once more if it had no more than a head start, and once more if another
/// place says that the object does not exist there. A call tries Places::kMost places in vain. Belongs to one call;
/// empty, and free of cost, until something goes wrong.
class Attempts {
 public:
  /// Repetitions at one place whose connections end in order, or had been used before.
  static constexpr unsigned kMaxRetries = 2;

  Attempts() noexcept = default;
  Attempts(const Attempts&) = delete;
  Attempts& operator=(const Attempts&) = delete;

  /// What a reply said, if not "here are the results":
  /// an exception, a location forward, or something that makes no sense (or whose results do not).
  using Answer = std::variant<Refusal, Forward, Readdressing, base::Error>;
  void set_answer(Answer answer);
  /// True if there was no such reply.
  bool well() const noexcept { return answer_ == nullptr; }
  Answer take_answer();
  /// Of the answer: whether the server has executed the request.
  corba::Completed answered() const noexcept;
  /// Where the reply said that the call should go; nullptr if it did not.
  const Forward* forward() const noexcept { return answer_ == nullptr ? nullptr : std::get_if<Forward>(answer_.get()); }

  // --- where the call is tried ---

  /// The call goes through `places` and begins with, or has been tried at, the one at `at`. `fixed`: it may be tried
  /// nowhere else.
  void begin(const PlacesPtr& places, std::size_t at, bool fixed = false);
  bool begun() const noexcept { return course_ != nullptr; }
  /// Before the first attempt of a call: an adapter of this process, which is none of the places, has refused it.
  void note_refusal_here(Refusal refusal);
  /// Never changed afterwards: this call goes on with a copy.
  PlacesPtr places() const noexcept;
  std::size_t at() const noexcept;
  /// The same for later calls: without what places forwarded to that do not lead to this one.
  std::pair<PlacesPtr, std::size_t> settled() const;
  const Places::Place& place() const noexcept;
  const routing::Route& route() const noexcept;
  /// What became of the attempt before, for the log.
  std::string_view last() const noexcept;

  // Each returns true if the call is to be tried at route(), and false if it is over: then give_up().

  /// There is no connection, or it ended. `fresh`: the connection was made for this call. `what` says what was being
  /// done, and where.
  bool after_failure(base::Error error, bool fresh, std::string what);
  /// Other places that are to be tried before this one has had all its time.
  std::size_t others() const;
  /// There was no connection within the head start. The place is tried once more when all others have failed.
  bool after_head_start(base::Error error, std::string what);
  /// The server answered with an exception that asks_elsewhere().
  bool after_refusal(Refusal refusal, std::string what);
  /// The place points elsewhere (or to something that cannot be used). `permanent`: a place of the reference
  /// itself says that they are to be used instead of it.
  bool after_forward(base::Result<Ways> ways, std::uint32_t limit, bool permanent);
  /// The server wants its target named by `address` (null: by its key). False if this call has done so once at that
  /// place: then after_failure().
  bool after_readdressing(std::shared_ptr<const messaging::TargetAddress> address);
  /// The call goes on with the first of other places, as if it had not been tried yet: the ORB's parts have changed.
  void renew(const PlacesPtr& places);
  /// True if the call may be tried at one place only.
  bool fixed() const noexcept;
  /// True if an adapter of this process is to be asked next, by the key of route().
  bool here() const noexcept;
  /// True if the call is at a place of the reference itself.
  bool at_origin() const noexcept;
  /// True if the call is over because there is no place left where it could be tried, so that the next one should not
  /// begin where this one ended.
  bool nowhere_left() const noexcept;
  /// True if this ORB itself lets no request out any more.
  bool refused_here() const noexcept;
  /// Throws the exception for what ended the call. `spent` is added to what an own error says.
  [[noreturn]] void give_up(const std::string& spent);

  /// True if a request that ended with `error` was certainly not executed: nothing whole was sent, or the peer said so
  /// by closing in order.
  static bool not_executed(base::Error error) noexcept;

 private:
  struct Course;
  /// Elsewhere: nearly every call has nothing to delete.
  struct Delete {
    void operator()(Answer* answer) const noexcept;
    void operator()(Course* course) const noexcept;
  };

  bool advance();
  bool advance_in_order();

  std::unique_ptr<Answer, Delete> answer_;
  std::unique_ptr<Course, Delete> course_;
};

}  // namespace corbel::orb
