// SPDX-License-Identifier: Apache-2.0
// The omniORB client of the interoperability suite: runs every check against any ORB's server.
#include <unistd.h>

#include <chrono>
#include <thread>
#include <vector>

#include "contexts.hpp"
#include "orb_arguments.hpp"
#include "samples.hpp"
#include "session.hpp"

namespace interop {

void check_traffic(Session& s) {
  s.report.run("oneway", [&] {
    const CORBA::LongLong before = s.suite->fired();
    Interop::OctetSeq data;
    data.length(10000);
    for (int i = 1; i <= 100; ++i) s.suite->fire(i);
    for (int i = 0; i < 10; ++i) s.suite->fire_text("four", data);
    const CORBA::LongLong expected = before + 5050 + 10 * 10004;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (s.suite->fired() != expected)
      require(std::chrono::steady_clock::now() < deadline, "fired: " + std::to_string(s.suite->fired() - before));
  });
  s.report.run("concurrent_calls", [&] {
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    for (CORBA::Long t = 0; t < 4; ++t)
      threads.emplace_back([&s, &wrong, t] {
        try {
          for (CORBA::Long i = 0; i < 200; ++i) {
            CORBA::Long b = i, c = 0;
            if (s.suite->echo_long(t, b, c) != t || b != t || c != i + 1) ++wrong;
          }
        } catch (const CORBA::Exception&) {
          ++wrong;
        }
      });
    for (std::thread& thread : threads) thread.join();
    require(wrong == 0, std::to_string(wrong) + " wrong answers");
  });
}

namespace {

void check_contexts(Session& s) {
  context_counts.check(
      s.report, [&] { s.suite->ping(); },
      [&] {
        try {
          s.suite->raise_system("NO_PERMISSION", 1, 1);
        } catch (const CORBA::NO_PERMISSION&) {
        }
      });
}

std::string describe() {
  try {
    throw;
  } catch (const CORBA::SystemException& e) {
    char text[128];
    std::snprintf(text, sizeof text, "%s minor 0x%08x completed %d", e._name(), e.minor(), e.completed());
    return text;
  } catch (const CORBA::Exception& e) {
    return e._name();
  } catch (const std::exception& e) {
    return e.what();
  }
}

CORBA::Boolean never_retry(void*, CORBA::ULong, const CORBA::TRANSIENT&) {
  return false;
}

int run(const Options& options, const char* program) {
  OrbArguments arguments(options, program, true);
  CORBA::ORB_var orb = CORBA::ORB_init(arguments.count, arguments.values());
  intercept(options);
  compress(options);
  omniORB::installTransientExceptionHandler(nullptr, never_retry);
  CORBA::Object_var root = orb->resolve_initial_references("RootPOA");
  PortableServer::POA_var poa = PortableServer::POA::_narrow(root);
  PortableServer::POAManager_var(poa->the_POAManager())->activate();
  CORBA::Object_var object = orb->string_to_object(options.ior.c_str());

  Report report(options.filter, describe);
  Session session{orb,     poa,    Interop::Whole::Suite::_narrow(object),
                  options, report, make_callback_poa(orb, poa, options)};
  require(!CORBA::is_nil(session.suite), "the reference is no Suite");
  session.suite->ping();
  check_basics(session);
  check_sequences(session);
  check_constructed(session);
  check_failures(session);
  check_references(session);
  check_traffic(session);
  if (!options.char_set.empty()) check_code_sets(session);
  if (options.contexts()) check_contexts(session);
  session.suite->shutdown();
  orb->destroy();
  return report.finish();
}

}  // namespace
}  // namespace interop

int main(int argc, char** argv) {
  const interop::Options options = interop::parse_options(argc, argv);
  alarm(options.lifetime_s);
  try {
    return interop::run(options, argv[0]);
  } catch (...) {
    std::printf("FAIL setup: %s\n", interop::describe().c_str());
    return 1;
  }
}
