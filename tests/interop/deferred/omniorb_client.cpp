// SPDX-License-Identifier: Apache-2.0
// The omniORB client of servants that answer later.
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "../options.hpp"
#include "deferred.hh"

namespace {

int failed = 0;
int passed = 0;

void check(bool good, const std::string& what) {
  std::cout << (good ? "ok " : "FAIL ") << what << '\n';
  ++(good ? passed : failed);
}

void check_held(Later::Desk_ptr desk) {
  constexpr int kCallers = 20;
  std::vector<std::string> answers(kCallers);
  std::vector<std::thread> threads;
  for (int i = 0; i < kCallers; ++i) {
    threads.emplace_back([&, i] {
      try {
        CORBA::String_var answer = desk->held(std::to_string(i).c_str());
        answers[static_cast<std::size_t>(i)] = answer.in();
      } catch (const CORBA::Exception& exception) {
        answers[static_cast<std::size_t>(i)] = exception._name();
      }
    });
  }
  while (desk->waiting() != kCallers) {
  }
  desk->release();
  for (auto& thread : threads) thread.join();
  int good = 0;
  for (int i = 0; i < kCallers; ++i) good += answers[static_cast<std::size_t>(i)] == std::to_string(i) + "!" ? 1 : 0;
  check(good == kCallers, "calls that waited are answered, more than the server has threads");
}

void check_others(Later::Desk_ptr desk) {
  desk->title("chief");
  CORBA::String_var title = desk->title();
  check(std::string(title.in()) == "chief", "an attribute");
  CORBA::String_var head;
  CORBA::String_var tail = CORBA::string_dup("kept ");
  const CORBA::Long place = desk->split("one=two", '=', head.out(), tail.inout());
  check(place == 3 && std::string(head.in()) == "one" && std::string(tail.in()) == "kept two", "out and inout");
  try {
    (void)desk->split("one", '=', head.out(), tail.inout());
    check(false, "a user exception");
  } catch (const Later::Refused& refused) {
    check(std::string(refused.why.in()) == "no such character", "a user exception");
  }
  try {
    desk->fail();
    check(false, "a system exception");
  } catch (const CORBA::NO_PERMISSION& exception) {
    check(exception.minor() == 7 && exception.completed() == CORBA::COMPLETED_YES, "a system exception");
  }
  try {
    desk->drop();
    check(false, "an answer that was dropped");
  } catch (const CORBA::NO_RESPONSE& exception) {
    check(exception.minor() == 0x4342058f && exception.completed() == CORBA::COMPLETED_MAYBE,
          "an answer that was dropped");
  }
}

}  // namespace

int main(int argc, char** argv) try {
  const interop::Options options = interop::parse_options(argc, argv);
  const std::string giop = "1." + std::to_string(options.giop_minor);
  const char* settings[][2] = {
      {"maxGIOPVersion", giop.c_str()}, {"maxGIOPConnectionPerServer", "30"}, {nullptr, nullptr}};
  CORBA::ORB_var orb = CORBA::ORB_init(argc, argv, "omniORB4", settings);
  CORBA::Object_var object = orb->string_to_object(options.ior.c_str());
  Later::Desk_var desk = Later::Desk::_narrow(object);
  check_held(desk);
  check_others(desk);
  desk->shutdown();
  orb->destroy();
  std::cout << "done: " << passed << " passed, " << failed << " failed\n";
  return failed == 0 ? 0 : 1;
} catch (const CORBA::Exception& exception) {
  std::cout << "FAIL " << exception._name() << '\n';
  return 1;
}
