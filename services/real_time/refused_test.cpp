// SPDX-License-Identifier: Apache-2.0
// What the operating system refuses to threads is told in the log, too.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include <sys/resource.h>
#include <unistd.h>

#include "test_support.hpp"

namespace corbel::real_time {
namespace {

/// While this exists no thread of the process gets a real-time class.
class NoRealTimeClasses {
 public:
  NoRealTimeClasses() {
    EXPECT_EQ(::getrlimit(RLIMIT_RTPRIO, &before_), 0);
    rlimit none = before_;
    none.rlim_cur = 0;
    EXPECT_EQ(::setrlimit(RLIMIT_RTPRIO, &none), 0);
    if (self_ == 0) {  // to root nothing is refused
      EXPECT_EQ(::seteuid(65534), 0);
    }
  }
  ~NoRealTimeClasses() {
    EXPECT_EQ(::seteuid(self_), 0);
    EXPECT_EQ(::setrlimit(RLIMIT_RTPRIO, &before_), 0);
  }
  NoRealTimeClasses(const NoRealTimeClasses&) = delete;
  NoRealTimeClasses& operator=(const NoRealTimeClasses&) = delete;

 private:
  const uid_t self_ = ::geteuid();
  rlimit before_{};
};

TEST(Refused, PrioritiesAreToldOnceForEachLane) {
  TwoOrbs orbs({.scheduling = Scheduling::fifo}, {"-ORBLogLevel", "orb=info"});
  const NoRealTimeClasses refusal;
  const auto priority = [&] { return orbs.current->the_priority(); };
  const auto pool = orbs.rt->create_threadpool_with_lanes(
      0, {RTCORBA::ThreadpoolLane(10, 1, 0), RTCORBA::ThreadpoolLane(1000, 1, 0)}, false, false, 0, 0);
  const auto laned =
      orbs.object(orbs.adapter({orbs.rt->create_threadpool_policy(pool),
                                orbs.rt->create_priority_model_policy(RTCORBA::PriorityModel::CLIENT_PROPAGATED, 10)}),
                  priority);
  const auto plain = orbs.object(
      orbs.adapter({orbs.rt->create_priority_model_policy(RTCORBA::PriorityModel::SERVER_DECLARED, 7)}), priority);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(orbs.call(laned, 10).get(), 10);  // served all the same
    EXPECT_EQ(orbs.call(laned, 2000).get(), 2000);
    EXPECT_EQ(orbs.call(plain, -1).get(), 7);
  }
  orbs.server->shutdown(true);
  (void)orbs.log->wait_for("shut down");
  std::map<std::string, std::string> told;  // priority by lane
  int times = 0;
  for (const auto& entry : orbs.log->entries()) {
    if (entry.event != "the operating system refuses a thread the priority of its request") continue;
    EXPECT_EQ(entry.level, base::LogLevel::warning);
    EXPECT_NE(entry.value("why"), "");
    told[entry.value("lane")] = entry.value("priority");
    ++times;
  }
  const std::string lane = "pool " + std::to_string(pool) + " priority ";
  EXPECT_EQ(told, (std::map<std::string, std::string>{{"", "7"}, {lane + "10", "10"}, {lane + "1000", "2000"}}));
  EXPECT_EQ(times, 3);
}

}  // namespace
}  // namespace corbel::real_time
