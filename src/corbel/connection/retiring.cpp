// SPDX-License-Identifier: Apache-2.0
// The orderly end of a client's connection while calls may be under way, and more may begin at any moment.
#include "corbel/connection/completions.hpp"
#include "corbel/connection/connection.hpp"
#include "corbel/connection/reading_loop.hpp"
#include "corbel/connection/telling.hpp"

namespace corbel::connection {

using base::Code;
using base::Deadline;
using base::Stage;

/// Reads until nothing but the thread itself is listed.
struct Connection::LastCalls {
  static bool takes(const Message&) noexcept { return false; }
  void on_finished(AsyncReply& reply) const noexcept { connection.completions_->push(reply); }
  bool has_all() const noexcept {
    const std::lock_guard lock(connection.mutex_);
    return last.told || connection.outstanding_.count() <= 1;
  }
  /// Calls may end without a word of the peer: by their time, or before they are sent.
  Deadline until(const Framer&) const noexcept {
    return earlier(deadline, Deadline::after(std::chrono::milliseconds(20)));
  }

  Connection& connection;
  const Sleeper& last;
  Deadline deadline;
};

bool Connection::end_when_idle(Deadline deadline) noexcept {
  retire();
  if (failed()) return true;
  // What is kept back leaves first.
  if (has_backlog()) (void)flush_oneways(deadline);
  // A thread that sends a oneway is not listed. It is waited for now: later this thread may have to read for others.
  if (!link_.token().lock_until(deadline)) return false;
  link_.token().unlock();
  if (server_ != nullptr) {  // the server's threads read it
    drain();
    return failed();
  }
  // Listed like a caller, though it asks nothing: so it hears of a failure, gets the reading role when it is free, and
  // no caller can be alone on the connection, which takes no lock.
  Caller last;
  last.token = session_->next_token();
  if (!join(last)) return true;
  {
    std::unique_lock lock(mutex_);
    last.reading = reading_.sleep(lock, *last.listed, deadline) == Reading::Woken::reads;
  }
  bool ends = false;
  for (bool again = last.reading; again;) {
    LastCalls reader{*this, *last.listed, deadline};
    ReadEnd end = read(*framer_, reader);
    while (end.why == ReadEnd::Why::dry && !deadline.expired() && !reader.has_all()) end = read(*framer_, reader);
    if (end.why == ReadEnd::Why::failed) (void)fail(end.error);
    if (end.why == ReadEnd::Why::broken) (void)fail(explain_end(end.error));
    const std::lock_guard lock(mutex_);
    const bool alone = outstanding_.count() == 1;
    ends = !last.listed->told && alone && !has_backlog();
    ended_idle_ = ended_idle_ || ends;
    // Another thread that would end it as well may have been listed for a moment.
    again = !last.listed->told && !alone && !failed() && !deadline.expired();
  }
  if (ends) {
    watched.why = kClosedHere;
    (void)tell_close();
    (void)fail(base::error(Stage::send, Code::closed));
  }
  leave(last);
  return failed();
}

}  // namespace corbel::connection
