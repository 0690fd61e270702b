// SPDX-License-Identifier: Apache-2.0
// The Corbel client of the interoperability suite: runs every check against any ORB's server.
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "beyond_peer.hpp"
#include "contexts.hpp"
#include "orb_arguments.hpp"
#include "samples.hpp"
#include "session.hpp"

namespace interop {

void check_traffic(Session& s) {
  s.report.run("oneway", [&] {
    const std::int64_t before = s.suite->fired();
    const Interop::OctetSeq data(10000);
    for (int i = 1; i <= 100; ++i) s.suite->fire(i);
    for (int i = 0; i < 10; ++i) s.suite->fire_text("four", data);
    const std::int64_t expected = before + 5050 + std::int64_t{10} * 10004;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (s.suite->fired() != expected) {
      require(std::chrono::steady_clock::now() < deadline, "fired: " + std::to_string(s.suite->fired() - before));
    }
  });
  s.report.run("concurrent_calls", [&] {
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    for (std::int32_t t = 0; t < 4; ++t) {
      threads.emplace_back([&s, &wrong, t] {
        try {
          for (std::int32_t i = 0; i < 200; ++i) {
            std::int32_t b = i, c = 0;
            if (s.suite->echo_long(t, b, c) != t || b != t || c != i + 1) ++wrong;
          }
        } catch (const CORBA::Exception&) {
          ++wrong;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    require(wrong == 0, std::to_string(wrong) + " wrong answers");
  });
}

namespace {

void check_contexts(Session& s, ContextCounts& contexts) {
  contexts.check(
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
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "an unknown exception";
  }
}

int run(const Options& options) {
  std::vector<std::string> arguments = orb_arguments(options);
  ContextCounts contexts;
  intercept(options, contexts);
  const auto orb = CORBA::ORB_init(arguments);
  const auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  poa->the_POAManager()->activate();
  std::thread callbacks([&orb] { orb->run(); });

  Report report(options.filter, describe);
  report.set_beyond_peer(beyond_peer(options));
  try {
    const auto suite = IDL::traits<Suite>::narrow(orb->string_to_object(options.ior));
    Session session{orb, poa, suite, options, report, make_callback_poa(poa, options)};
    require(session.suite != nullptr, "the reference is no Suite");
    session.suite->ping();
    check_basics(session);
    check_sequences(session);
    check_constructed(session);
    check_failures(session);
    check_references(session);
    check_traffic(session);
    if (!options.char_set.empty()) check_code_sets(session);
    if (options.contexts()) check_contexts(session, contexts);
    session.suite->shutdown();
  } catch (...) {
    report.run(options.filter + "setup", [] { throw; });
  }
  orb->shutdown(true);
  callbacks.join();
  orb->destroy();
  return report.finish();
}

}  // namespace
}  // namespace interop

int main(int argc, char** argv) {
  const interop::Options options = interop::parse_options(argc, argv);
  alarm(options.lifetime_s);
  try {
    return interop::run(options);
  } catch (const std::exception& failure) {
    std::printf("FAIL setup: %s\n", failure.what());
    return 1;
  }
}
