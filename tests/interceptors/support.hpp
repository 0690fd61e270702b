// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "corbel/corbel.hpp"
#include "corbel/interceptors/portable_interceptor.hpp"
#include "endings.hpp"
#include "fake_peer.hpp"
#include "interceptors_server.hpp"

namespace corbel::interceptors_test {

namespace PI = PortableInterceptor;
using test::ending_of;
using ClientInfoRef = IDL::traits<PI::ClientRequestInfo>::ref_type;
using ServerInfoRef = IDL::traits<PI::ServerRequestInfo>::ref_type;
using ClientRef = IDL::traits<PI::ClientRequestInterceptor>::ref_type;
using ServerRef = IDL::traits<PI::ServerRequestInterceptor>::ref_type;
using IorInfoRef = IDL::traits<PI::IORInfo>::ref_type;
using IorRef = IDL::traits<PI::IORInterceptor>::ref_type;
using InitInfoRef = IDL::traits<PI::ORBInitInfo>::ref_type;
using OrbRef = IDL::traits<CORBA::ORB>::ref_type;
using ObjectRef = IDL::traits<CORBA::Object>::ref_type;
using ThingRef = IDL::traits<Watched::Thing>::ref_type;

/// What happened, in its order: "A.send_request B.send_request". Thread-safe.
class Story {
 public:
  void add(const std::string& what) {
    const std::lock_guard lock(mutex_);
    text_ += text_.empty() ? what : ' ' + what;
  }
  std::string take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(text_, {});
  }

 private:
  std::mutex mutex_;
  std::string text_;
};

/// Tells the story, and does at a point what it was told to.
template <class Interceptor, class Info>
class Watch : public Interceptor {
 public:
  using Act = std::function<void(const Info&)>;
  Watch(std::string name, Story& story, std::map<std::string, Act> acts = {})
      : name_(std::move(name)), story_(story), acts_(std::move(acts)) {}
  std::string name() override { return name_; }
  void destroy() override { at("destroy", Info()); }
  void set(const std::string& point, Act act) { acts_[point] = std::move(act); }

 protected:
  void at(const std::string& point, const Info& info) {
    story_.add(name_ + '.' + point);
    const auto act = acts_.find(point);
    if (act != acts_.end()) act->second(info);
  }

 private:
  const std::string name_;
  Story& story_;
  std::map<std::string, Act> acts_;
};

class ClientWatch final : public Watch<PI::ClientRequestInterceptor, ClientInfoRef> {
 public:
  using Watch::Watch;
  void send_request(ClientInfoRef ri) override { at("send_request", ri); }
  void send_poll(ClientInfoRef ri) override { at("send_poll", ri); }
  void receive_reply(ClientInfoRef ri) override { at("receive_reply", ri); }
  void receive_exception(ClientInfoRef ri) override { at("receive_exception", ri); }
  void receive_other(ClientInfoRef ri) override { at("receive_other", ri); }
};

class ServerWatch final : public Watch<PI::ServerRequestInterceptor, ServerInfoRef> {
 public:
  using Watch::Watch;
  void receive_request_service_contexts(ServerInfoRef ri) override { at("contexts", ri); }
  void receive_request(ServerInfoRef ri) override { at("receive_request", ri); }
  void send_reply(ServerInfoRef ri) override { at("send_reply", ri); }
  void send_exception(ServerInfoRef ri) override { at("send_exception", ri); }
  void send_other(ServerInfoRef ri) override { at("send_other", ri); }
};

/// What the next ORB gets.
struct Parts {
  std::vector<ClientRef> clients = {};
  std::vector<ServerRef> servers = {};
  std::vector<IorRef> iors = {};
  std::function<void(const InitInfoRef&)> pre_init = {};
  std::function<void(const InitInfoRef&)> post_init = {};
};

/// The process's one initialiser: what it does is up to the test.
class Initializer final : public PI::ORBInitializer {
 public:
  static Parts*& next() {
    static Parts* setup = nullptr;
    return setup;
  }
  void pre_init(IDL::traits<PI::ORBInitInfo>::ref_type info) override {
    if (next() == nullptr) return;
    for (const auto& one : next()->clients) info->add_client_request_interceptor(one);
    for (const auto& one : next()->servers) info->add_server_request_interceptor(one);
    for (const auto& one : next()->iors) info->add_ior_interceptor(one);
    if (next()->pre_init) next()->pre_init(info);
  }
  void post_init(IDL::traits<PI::ORBInitInfo>::ref_type info) override {
    if (next() != nullptr && next()->post_init) next()->post_init(info);
  }
};

inline OrbRef make_orb(Parts setup, std::vector<std::string> options = {}) {
  static const bool registered = [] {
    PI::register_orb_initializer(CORBA::make_reference<Initializer>());
    return true;
  }();
  (void)registered;
  static int number = 0;
  options.insert(options.end(), {"-ORBListenEndpoints", "tcp://127.0.0.1:0"});
  struct Reset {
    ~Reset() { Initializer::next() = nullptr; }
  } const reset;
  Initializer::next() = &setup;
  return CORBA::ORB_init(options, "interceptors " + std::to_string(++number));
}

/// An ORB with interceptors; destroyed with this.
class Orb {
 public:
  explicit Orb(Parts setup, std::vector<std::string> options = {})
      : orb_(make_orb(std::move(setup), std::move(options))) {}
  ~Orb() { orb_->destroy(); }
  Orb(const Orb&) = delete;
  Orb& operator=(const Orb&) = delete;

  OrbRef operator->() const { return orb_; }
  ThingRef thing(const std::string& reference) const {
    return IDL::traits<Watched::Thing>::unchecked_narrow(orb_->string_to_object(reference));
  }
  IDL::traits<PortableServer::POA>::ref_type root() const {
    auto root = IDL::traits<PortableServer::POA>::narrow(orb_->resolve_initial_references("RootPOA"));
    root->the_POAManager()->activate();
    return root;
  }
  IDL::traits<PI::Current>::ref_type current() const {
    return IDL::traits<PI::Current>::narrow(orb_->resolve_initial_references("PICurrent"));
  }

 private:
  OrbRef orb_;
};

/// Does what the question says.
class Servant : public virtual CORBA::servant_traits<Watched::Thing>::base_type {
 public:
  std::string ask(const std::string& question) override {
    if (on_ask) return on_ask(question);
    if (question == "refuse") throw Watched::Refused();
    if (question == "fail") throw CORBA::NO_PERMISSION(7, CORBA::CompletionStatus::COMPLETED_MAYBE);
    return "answer to " + question;
  }
  void pass(IDL::traits<Watched::Packet>::ref_type) override {}
  void note(std::int32_t number) override { noted = number; }
  std::function<std::string(const std::string&)> on_ask;
  std::atomic<std::int32_t> noted{0};
};

inline std::string text_in(const CORBA::Any& any) {
  std::string text = "nothing";
  (void)(any >>= text);
  return text;
}
inline CORBA::Any any_with(const std::string& text) {
  CORBA::Any any;
  any <<= text;
  return any;
}
inline IOP::ServiceContext context(std::uint32_t id, std::string_view text) {
  return IOP::ServiceContext(id, CORBA::OctetSeq(text.begin(), text.end()));
}
inline std::string text_of(const IOP::ServiceContext& context) {
  return std::string(context.context_data().begin(), context.context_data().end());
}

}  // namespace corbel::interceptors_test
