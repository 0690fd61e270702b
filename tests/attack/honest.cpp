// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

#include "attack.hpp"
#include "program.hpp"

namespace attack {

int honest(int argc, char** argv) {
  auto orb = CORBA::ORB_init(argc, argv, "honest");
  if (argc < 3) return 2;
  auto target = IDL::traits<Attack::Target>::unchecked_narrow(orb->string_to_object(argv[1]));
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::milliseconds(std::stoi(argv[2]));
  std::vector<double> times;
  std::size_t failures = 0;
  std::string first;
  target->ping();
  std::puts("CONNECTED");
  std::fflush(stdout);
  do {
    const auto begin = Clock::now();
    try {
      target->ping();
    } catch (const CORBA::SystemException& exception) {
      if (failures++ == 0) first = exception._name() + (" " + exception.detail());
    }
    times.push_back(std::chrono::duration<double, std::micro>(Clock::now() - begin).count());
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  } while (Clock::now() < end);
  std::sort(times.begin(), times.end());
  std::replace(first.begin(), first.end(), '"', '\'');
  std::replace(first.begin(), first.end(), '\n', ' ');
  const auto at = [&](double share) {
    return times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))];
  };
  std::printf(R"({"calls": %zu, "failures": %zu, "p50": %.1f, "p99": %.1f, "max": %.1f, "first_failure": "%s"})"
              "\n",
              times.size(), failures, at(0.5), at(0.99), times.back(), first.c_str());
  orb->destroy();
  return 0;
}

}  // namespace attack
