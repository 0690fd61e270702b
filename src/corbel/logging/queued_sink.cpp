// SPDX-License-Identifier: Apache-2.0
// The application's sink. Its code is unknown: it may block, throw, call the ORB that logs, or end it.
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include "corbel/base/kept_record.hpp"
#include "corbel/logging/sinks.hpp"

namespace corbel::logging {
namespace {

using namespace std::chrono_literals;

class QueuedSink final : public base::LogSink {
 public:
  explicit QueuedSink(SinkPtr sink) : queue_(std::make_shared<Queue>()) { queue_->sink = std::move(sink); }
  ~QueuedSink() override { end(); }

  void write(const base::LogRecord& record) override {
    if (::getpid() != process_) return;
    base::KeptRecord kept(record);
    std::unique_lock lock(queue_->mutex);
    if (!started_) start();
    if (queue_->orb.empty()) queue_->orb = record.orb;
    if (queue_->waiting.size() >= kMostWaiting) {
      ++queue_->left_out;
      return;
    }
    queue_->waiting.push_back(std::move(kept));
    queue_->changed.notify_all();
  }

  void flush() override {
    if (::getpid() != process_) return;
    std::unique_lock lock(queue_->mutex);
    if (!started_ || stuck_ || std::this_thread::get_id() == thread_.get_id()) return;
    stuck_ = !queue_->changed.wait_for(
        lock, kLastPatience, [this] { return queue_->waiting.empty() && !queue_->calling && queue_->left_out == 0; });
  }

 private:
  /// What the thread and this share; the last of them releases it.
  struct Queue {
    SinkPtr sink;
    std::mutex mutex;  // guards what follows
    std::condition_variable changed;
    std::deque<base::KeptRecord> waiting;
    std::string orb;
    std::uint64_t left_out = 0;
    bool calling = false;
    bool closed = false;
  };

  /// With the mutex: starts the thread, which takes no signals. Throws if the system has none.
  void start() {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
      thread_ = std::thread([queue = queue_] { serve(*queue); });
      started_ = true;
    } catch (...) {
      pthread_sigmask(SIG_SETMASK, &before, nullptr);
      throw;
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  void end() noexcept {
    if (!started_ || ::getpid() != process_) return abandon();  // forked off: the thread is another process's
    if (std::this_thread::get_id() == thread_.get_id()) return end_from_within();
    flush();
    {
      const std::lock_guard lock(queue_->mutex);
      queue_->closed = true;
      queue_->changed.notify_all();
      // If the sink is stuck, its thread, which shares the queue, is left to itself.
      if (queue_->calling || !queue_->waiting.empty() || queue_->left_out != 0) return abandon();
    }
    thread_.join();
  }
  void abandon() noexcept {
    if (thread_.joinable()) thread_.detach();
  }
  /// The sink released the last reference to the ORB.
  void end_from_within() noexcept {
    const std::lock_guard lock(queue_->mutex);
    queue_->closed = true;
    abandon();
  }

  static void serve(Queue& queue) noexcept {
    const base::LogSilence silence;  // or a sink that calls the ORB would have something to write about for ever
    std::unique_lock lock(queue.mutex);
    for (;;) {
      queue.changed.wait(lock, [&] { return queue.closed || !queue.waiting.empty() || queue.left_out != 0; });
      if (queue.waiting.empty() && queue.left_out == 0) return;
      std::deque<base::KeptRecord> taken;
      taken.swap(queue.waiting);
      const std::uint64_t left_out = std::exchange(queue.left_out, 0);
      queue.calling = true;
      lock.unlock();
      for (const base::KeptRecord& record : taken) call(*queue.sink, record.record());
      if (left_out != 0) confess(queue, left_out);
      taken.clear();
      lock.lock();
      queue.calling = false;
      queue.changed.notify_all();
    }
  }
  static void call(base::LogSink& sink, const base::LogRecord& record) noexcept try {
    sink.write(record);
  } catch (...) {  // this cannot be reported
  }
  static void confess(const Queue& queue, std::uint64_t left_out) noexcept {
    const base::LogField fields[] = {{"records", left_out}};
    base::LogRecord record;
    record.time = std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
    record.level = base::LogLevel::warning;
    record.module = base::LogModule::orb;
    record.event = "the log's sink is too slow, records left out";
    record.fields = fields;
    record.orb = queue.orb;  // never changes once it is set
    call(*queue.sink, record);
  }

  const std::shared_ptr<Queue> queue_;
  const pid_t process_ = ::getpid();
  std::thread thread_;
  bool started_ = false;
  bool stuck_ = false;  // was waited for in vain
};

}  // namespace

SinkPtr behind_queue(SinkPtr sink) {
  return std::make_shared<QueuedSink>(std::move(sink));
}

}  // namespace corbel::logging
