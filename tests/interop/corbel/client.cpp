// SPDX-License-Identifier: Apache-2.0
// The Corbel client of the interoperability suite: runs every check against any ORB's server.
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

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

std::string describe() {
  try {
    throw;
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "an unknown exception";
  }
}

const std::map<std::string, std::string> kBeyondJacorb = {
    {"echo_bounded_wstring", "JacORB reads bounded wide strings as narrow ones"},
    {"constants", "JacORB makes infinity of kDouble"},
    {"echo_long_union", "JacORB forgets which value selected the default member"},
    {"echo_char_union", "JacORB forgets which value selected the default member"},
    {"echo_union_seq", "JacORB forgets which value selected the default member"},
    {"echo_short_union", "JacORB cannot compile the label 65535 of an unsigned short"},
    {"echo_wide_union", "JacORB refuses labels beyond 32 bits"},
};

const std::map<std::string, std::string> kBeyondOmniorbpy = {
    {"echo_wchar", "omniORBpy cannot read a wchar"},
    {"echo_wchar_seq", "omniORBpy cannot read a wchar"},
    {"echo_wides", "omniORBpy cannot read a wchar"},
    {"echo_wide_union", "omniORBpy cannot read a wchar"},
    {"echo_ulonglong_seq", "omniORBpy cannot put numbers beyond 63 bits into sequences"},
};

std::map<std::string, std::string> beyond_peer(const Options& options) {
  if (options.peer == "jacorb") return kBeyondJacorb;
  if (options.peer != "omniorbpy") return {};
  auto beyond = kBeyondOmniorbpy;
  if (options.spoken_minor == 1) {
    for (const char* name : {"echo_longlong_seq", "echo_double_seq"}) {
      beyond[name] = "omniORBpy aligns each element anew in fragments, omniORB does not: they cannot be told apart";
    }
  }
  return beyond;
}

int run(const Options& options) {
  std::vector<std::string> arguments = orb_arguments(options);
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
