// SPDX-License-Identifier: Apache-2.0
// The ORB as the guest of another loop, or with one for a while.
#include <chrono>

#include "corbel/base/deadline.hpp"
#include "corbel/orb/core.hpp"
#include "corbel/orb/error_map.hpp"

namespace corbel::orb {

using base::Code;
using base::Stage;

int Core::take_pollable(bool main_thread) {
  check_process();
  if (shutting_down_.load(std::memory_order_acquire)) refuse_call();
  if (main_thread && !server().has_threads()) {
    raise(base::error(Stage::configure, Code::bad_argument),
          "a WorkHandle of the main thread alone needs an ORB with threads, and this one has -ORBConcurrency single");
  }
  if (main_thread && !main_thread_.enter()) {
    raise(base::error(Stage::configure, Code::cancelled), "the ORB's main thread is another one");
  }
  work_handles_.fetch_add(1);
  const auto handle = main_thread ? main_thread_.pollable() : server().pollable();
  if (handle) return *handle;
  give_pollable(main_thread);
  raise(handle.error(), handle.error().code == Code::bad_argument
                            ? "this ORB has threads that serve: a WorkHandle needs -ORBConcurrency single"
                            : "a WorkHandle of an ORB that another thread runs");
}

void Core::give_pollable(bool main_thread) noexcept {
  if (left_behind()) return;
  if (main_thread) main_thread_.leave();
  work_handles_.fetch_sub(1);
}

std::size_t Core::perform_main_work(std::size_t most) {
  check_process();
  return main_thread_.is_owner() ? main_thread_.serve_waiting(most) : 0;
}

void Core::work_until(base::Deadline deadline, bool once) {
  check_process();
  if (work_handles_.load() != 0) {
    raise(base::error(Stage::configure, Code::cancelled), "the ORB has a WorkHandle: another loop runs it");
  }
  // What ends a wait differs by mode and by which thread is the main one: looked at anew after some milliseconds.
  constexpr auto kSlice = std::chrono::milliseconds(10);
  do {
    const auto until = earlier(deadline, base::Deadline::after(kSlice));
    const bool main = main_thread_.enter();
    std::size_t done = main ? main_thread_.serve_waiting() : 0;
    done += server().perform_work(SIZE_MAX, done == 0 ? until : base::Deadline::now());
    if (done == 0) main_thread_.await(until);
    if (main) main_thread_.leave();
    if (once && done != 0) return;
  } while (!ended() && !deadline.expired());
}

}  // namespace corbel::orb
