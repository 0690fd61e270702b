// SPDX-License-Identifier: Apache-2.0
// The loop is Asio's io_context. A stream_descriptor closes what it is given, so it gets a duplicate.
#include <unistd.h>

#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>

#include "meter.hpp"

namespace {

/// Keeps the ORB and a timer of its own going in one io_context.
class AsioLoop final {
 public:
  explicit AsioLoop(Station& station)
      : station_(station), ready_(context_, dup(station.work.descriptor())), timer_(context_) {}

  void run() {
    wait_for_work();
    wait_for_tick();
    context_.run();
  }

 private:
  void wait_for_work() {
    ready_.async_wait(asio::posix::stream_descriptor::wait_read, [this](const std::error_code& error) {
      if (error) return;
      station_.work.dispatch();
      if (station_.work.ended()) return context_.stop();
      wait_for_work();
    });
  }
  void wait_for_tick() {
    timer_.expires_after(std::chrono::milliseconds(kTickMilliseconds));
    timer_.async_wait([this](const std::error_code& error) {
      if (error) return;
      station_.meter->tick();
      wait_for_tick();
    });
  }

  Station& station_;
  asio::io_context context_{1};
  asio::posix::stream_descriptor ready_;
  asio::steady_timer timer_;
};

}  // namespace

int main(int argc, char* argv[]) try {
  Station station(argc, argv);
  AsioLoop(station).run();
  return 0;
} catch (const CORBA::Exception& exception) {
  std::cerr << "asio server: " << exception << '\n';
  return 1;
}
