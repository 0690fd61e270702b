// SPDX-License-Identifier: Apache-2.0
// The client that calls servers of the suite asynchronously, with reply handlers.
#include <condition_variable>
#include <corbel/corbel.hpp>
#include <corbel/mapping/print.hpp>
#include <iostream>
#include <map>
#include <mutex>
#include <sstream>

#include "../options.hpp"
#include "async_server.hpp"

namespace {

using Interop::Node;
using Interop::Whole::Suite;
using Holder = IDL::traits<Messaging::ExceptionHolder>::ref_type;
using Handler = CORBA::amic_traits<Suite>::replyhandler_ref_type;
using SuiteRef = IDL::traits<Suite>::ref_type;

/// Counts what it is told.
class Recorder : public virtual CORBA::amic_traits<Suite>::replyhandler_base_type {
 public:
  void get_name(const std::string& name) override { tell("get_name", name); }
  void get_name_excep(Holder holder) override { fail("get_name", holder); }
  void echo_long(std::int32_t result, std::int32_t b, std::int32_t c) override { tell("echo_long", result, b, c); }
  void echo_long_excep(Holder holder) override { fail("echo_long", holder); }
  void echo_string(const std::string& result, const std::string& b, const std::string& c) override {
    tell("echo_string", result, b, c);
  }
  void echo_string_excep(Holder holder) override { fail("echo_string", holder); }
  void get_level(std::int32_t level) override { tell("get_level", level); }
  void get_level_excep(Holder holder) override { fail("get_level", holder); }
  void set_level() override { tell("set_level"); }
  void set_level_excep(Holder holder) override { fail("set_level", holder); }
  void get_values(const Interop::LongSeq& values) override { tell("get_values", values.size()); }
  void get_values_excep(Holder holder) override { fail("get_values", holder); }
  void set_values() override { tell("set_values"); }
  void set_values_excep(Holder holder) override { fail("set_values", holder); }
  void get_ratio(double ratio) override { tell("get_ratio", ratio); }
  void get_ratio_excep(Holder holder) override { fail("get_ratio", holder); }
  void raise_user(std::int32_t result, const std::string& note) override { tell("raise_user", result, note); }
  void raise_user_excep(Holder holder) override { fail("raise_user", holder); }
  void raise_system() override { tell("raise_system"); }
  void raise_system_excep(Holder holder) override { fail("raise_system", holder); }
  void forwarded(IDL::traits<Node>::ref_type node) override { tell("forwarded", node == nullptr ? "nil" : "node"); }
  void forwarded_excep(Holder holder) override { fail("forwarded", holder); }

  /// Waits until `count` things have been told and takes them.
  std::map<std::string, int> await(int count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return total_ >= count; });
    total_ = 0;
    return std::exchange(told_, {});
  }

 private:
  template <class... Values>
  void tell(const std::string& operation, const Values&... values) {
    std::ostringstream text;
    text << operation;
    ((text << ' ' << values), ...);
    const std::lock_guard lock(mutex_);
    ++told_[text.str()];
    ++total_;
    changed_.notify_all();
  }
  void fail(const std::string& operation, const Holder& holder) {
    try {
      holder->raise_exception();
    } catch (const Interop::Empty&) {
      tell(operation, "Empty");
    } catch (const Interop::Detail& detail) {
      tell(operation, "Detail", detail.why(), detail.code(), static_cast<int>(detail.shade()), detail.values().size());
    } catch (const Interop::Renamed& renamed) {
      tell(operation, "Renamed", renamed.stamp());
    } catch (const CORBA::SystemException& exception) {
      tell(operation, exception._name(), exception.minor(), static_cast<int>(exception.completed()));
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, int> told_;
  int total_ = 0;
};

struct Session {
  SuiteRef suite;
  Handler handler;
  CORBA::servant_reference<Recorder> recorder;
  int passed = 0;
  int failed = 0;

  /// The handler must be told each of these once, whatever the order.
  void expect(const std::vector<std::string>& expected) {
    auto told = recorder->await(static_cast<int>(expected.size()));
    for (const auto& what : expected) {
      const bool good = told[what]-- > 0;
      std::cout << (good ? "ok " : "FAIL ") << what << '\n';
      ++(good ? passed : failed);
    }
    for (const auto& [what, count] : told) {
      if (count > 0) std::cout << "FAIL not expected: " << what << '\n';
    }
  }
};

void check_results(Session& session) {
  const auto& suite = session.suite;
  suite->sendc_echo_long(session.handler, 5, 7);
  suite->sendc_echo_string(session.handler, "grüße", "Ab");
  suite->sendc_echo_string(session.handler, std::string(300'000, 'x'), "");
  suite->sendc_get_ratio(session.handler);
  suite->sendc_get_name(session.handler);
  session.expect({"echo_long 5 5 8", "echo_string grüße grüße aB",
                  "echo_string " + std::string(300'000, 'x') + " " + std::string(300'000, 'x') + " ", "get_ratio 0.125",
                  "get_name suite"});
  suite->sendc_set_level(session.handler, 42);
  suite->sendc_set_values(session.handler, {1, 2, 3});
  session.expect({"set_level", "set_values"});
  suite->sendc_get_level(session.handler);
  suite->sendc_get_values(session.handler);
  session.expect({"get_level 42", "get_values 3"});
}

void check_exceptions(Session& session) {
  const auto& suite = session.suite;
  for (std::int32_t which = 0; which < 4; ++which) suite->sendc_raise_user(session.handler, which);
  session.expect({"raise_user 0 nothing raised", "raise_user Empty", "raise_user Detail because -7 1 3",
                  "raise_user Renamed 1099511627777"});
  suite->sendc_raise_system(session.handler, "NO_PERMISSION", 5, 2);
  suite->sendc_raise_system(session.handler, "BAD_QOS", 0, 1);
  session.expect({"raise_system NO_PERMISSION 5 2", "raise_system BAD_QOS 0 1"});
}

void check_forwarding(Session& session) {
  session.suite->sendc_forwarded(session.handler);
  session.expect({"forwarded node"});
  const auto node = session.suite->forwarded();
  const auto handler = CORBA::amic_traits<Node>::replyhandler_traits::narrow(session.handler);
  node->sendc_get_name(handler);
  node->sendc_get_name(handler);
  session.expect({"get_name suite", "get_name suite"});
}

/// Calls in flight together, one of them answered with an exception in between.
void check_many(Session& session) {
  constexpr std::int32_t kCalls = 1000;
  std::vector<std::string> expected;
  for (std::int32_t i = 0; i < kCalls; ++i) {
    session.suite->sendc_echo_long(session.handler, i, -i);
    const std::string number = std::to_string(i);
    expected.push_back("echo_long " + number + ' ' + number + ' ' + std::to_string(1 - i));
  }
  session.expect(expected);
}

}  // namespace

int main(int argc, char** argv) try {
  auto orb = CORBA::ORB_init(argc, argv);
  const interop::Options options = interop::parse_options(argc, argv);
  const auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  Session session;
  session.suite = IDL::traits<Suite>::narrow(orb->string_to_object(options.ior));
  session.recorder = CORBA::make_reference<Recorder>();
  session.handler = CORBA::amic_traits<Suite>::replyhandler_traits::narrow(poa->servant_to_reference(session.recorder));
  poa->the_POAManager()->activate();
  // GlassFish learns a connection's code sets from its first request while it may serve the next one already.
  (void)session.suite->_non_existent();
  check_results(session);
  check_exceptions(session);
  if (options.peer != "jacorb") check_forwarding(session);  // its servant activators cannot forward
  check_many(session);
  session.suite->shutdown();
  orb->destroy();
  std::cout << "done: " << session.passed << " passed, " << session.failed << " failed\n";
  return session.failed == 0 ? 0 : 1;
} catch (const CORBA::Exception& exception) {
  std::cout << "FAIL " << exception << '\n';
  return 1;
}
