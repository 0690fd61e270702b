// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "corbel/base/kept_log.hpp"
#include "corbel/builtins/builtins.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/corbel.hpp"
#include "corbel/mapping/with_policies.hpp"
#include "corbel/orb/components.hpp"
#include "corbel/orb/orb.hpp"
#include "corbel/poa/poa.hpp"
#include "deferred_any.hpp"
#include "deferred_server.hpp"
#include "eventually.hpp"
#include "shipped.hpp"

/// Real ORBs, and a servant whose requests the test answers.
namespace corbel::deferred_test {

using OrbRef = IDL::traits<CORBA::ORB>::ref_type;
using PoaRef = IDL::traits<PortableServer::POA>::ref_type;
using DeskRef = IDL::traits<Deferred::Desk>::ref_type;
using Answer = CORBA::amh_traits<Deferred::Desk>::response_handler_ref_type;
using BaseAnswer = CORBA::amh_traits<Deferred::Base>::response_handler_ref_type;

inline OrbRef make_orb(const std::string& id, std::vector<std::string> arguments = {},
                       const std::shared_ptr<base::LogSink>& log = nullptr) {
  orb::Components components = builtins::components();
  components.log_sink = log;
  return orb::init(arguments, id, components);
}

/// Keeps what it is asked, unless the question says what to do at once.
class Keeper : public virtual CORBA::amh_traits<Deferred::Desk>::base_type {
 public:
  struct Asked {
    Answer answer;
    std::string question;
  };

  void name(BaseAnswer answer) override { answer->name("desk"); }
  void served(BaseAnswer answer) override { answer->get_served(served_); }
  void title(Answer answer) override {
    const std::lock_guard lock(mutex_);
    answer->get_title(title_);
  }
  void title(Answer answer, std::string title) override {
    {
      const std::lock_guard lock(mutex_);
      title_ = std::move(title);
    }
    answer->set_title();
  }
  void ask(Answer answer, std::string question) override {
    ++served_;
    if (question == "now") return answer->ask("at once");
    if (question == "throw") throw Deferred::Refused("thrown");
    if (question == "throw what is foreign") throw std::runtime_error("not of CORBA");
    if (question == "answer and throw") {
      answer->ask("first");
      throw Deferred::Refused("second");
    }
    if (question == "drop") return;
    const std::lock_guard lock(mutex_);
    asked_.push_back({std::move(answer), std::move(question)});
    changed_.notify_all();
  }
  void split(Answer answer, std::string text, char at, std::string tail) override {
    std::thread([answer = std::move(answer), text = std::move(text), tail = std::move(tail), at] {
      const auto place = text.find(at);
      if (place == std::string::npos) return answer->split_excep(Deferred::Refused("no " + std::string(1, at)));
      answer->split(static_cast<std::int32_t>(place), text.substr(0, place), tail + text.substr(place + 1));
    }).detach();
  }
  void twice(Answer answer, Deferred::Numbers values) override {
    for (auto& value : values) value *= 2;
    answer->twice(values);
  }
  void weigh(Answer answer, CORBA::Any thing) override { answer->weigh(thing); }
  void nothing(Answer answer) override { answer->nothing(); }
  void tell(const std::string& news) override {
    const std::lock_guard lock(mutex_);
    news_.push_back(news);
    changed_.notify_all();
  }

  /// The next that was asked, waited for.
  Asked take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !asked_.empty(); });
    Asked asked = std::move(asked_.front());
    asked_.pop_front();
    return asked;
  }
  std::optional<Asked> take_now() {
    const std::lock_guard lock(mutex_);
    if (asked_.empty()) return {};
    std::optional<Asked> asked = std::move(asked_.front());
    asked_.pop_front();
    return asked;
  }
  void await(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return asked_.size() >= count; });
  }
  std::size_t waiting() {
    const std::lock_guard lock(mutex_);
    return asked_.size();
  }
  std::string await_news() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !news_.empty(); });
    return news_.front();
  }
  void drop_all() {
    std::deque<Asked> all;
    const std::lock_guard lock(mutex_);
    std::swap(all, asked_);
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Asked> asked_;
  std::vector<std::string> news_;
  std::string title_ = "desk";
  std::atomic<std::int32_t> served_{0};
};

/// A server and a client ORB in one process that know nothing of each other but the reference.
struct World {
  explicit World(const std::string& endpoint = "unix://", std::vector<std::string> server_options = {},
                 std::vector<std::string> client_options = {}, const std::string& name = "server") {
    server_options.insert(server_options.end(),
                          {"-ORBListenEndpoints", endpoint, "-ORBLogLevel", "info,server=debug", "-ORBLogRate", "0"});
    server = make_orb(name, std::move(server_options), log);
    root = IDL::traits<PortableServer::POA>::narrow(server->resolve_initial_references("RootPOA"));
    servant = CORBA::make_reference<Keeper>();
    id = root->activate_object(servant);
    local = IDL::traits<Deferred::Desk>::narrow(root->servant_to_reference(servant));
    root->the_POAManager()->activate();
    client = make_orb("client", std::move(client_options));
    desk = remote(local);
  }
  ~World() {
    servant->drop_all();
    desk.reset();
    if (client != nullptr) client->destroy();
    local.reset();
    root.reset();
    if (server != nullptr) server->destroy();
  }
  DeskRef remote(const DeskRef& reference) {
    return IDL::traits<Deferred::Desk>::unchecked_narrow(client->string_to_object(server->object_to_string(reference)));
  }
  /// Whether the server logs the event so many times; lines come on a thread of the log's.
  bool logs(std::string_view event, std::size_t times = 1) {
    return test::eventually([&] { return log->count(event) >= times; }) && log->count(event) == times;
  }
  /// The client goes without a word.
  void lose_client() {
    desk.reset();
    client->destroy();
    client.reset();
  }

  std::shared_ptr<base::KeptLog> log = std::make_shared<base::KeptLog>();  ///< the server's
  OrbRef server;
  OrbRef client;
  PoaRef root;
  CORBA::servant_reference<Keeper> servant;
  std::vector<std::uint8_t> id;
  DeskRef local;  ///< collocated
  DeskRef desk;   ///< remote
};

/// A call on a thread of its own, and how it ended: the result, or the exception's name.
class Caller {
 public:
  explicit Caller(std::function<std::string()> call)
      : thread_([this, call = std::move(call)] {
          try {
            outcome_ = call();
          } catch (const Deferred::Refused& refused) {
            outcome_ = "Refused " + refused.why();
          } catch (const CORBA::SystemException& exception) {
            minor = exception.minor();
            completed = exception.completed();
            outcome_ = exception._name();
          }
        }) {}
  ~Caller() {
    if (thread_.joinable()) thread_.join();
  }
  const std::string& outcome() {
    if (thread_.joinable()) thread_.join();
    return outcome_;
  }

  std::uint32_t minor = 0;
  CORBA::CompletionStatus completed = CORBA::COMPLETED_YES;

 private:
  std::string outcome_;
  std::thread thread_;
};

inline std::vector<std::string> all_endpoints() {
  return test::endpoints_and({"giop_lite+unix://", "giop_lite+tcp://127.0.0.1:0"});
}

}  // namespace corbel::deferred_test
