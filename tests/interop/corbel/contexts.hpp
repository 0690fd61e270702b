// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>

#include "../contexts.hpp"
#include "../options.hpp"
#include "corbel/corbel.hpp"
#include "corbel/interceptors/portable_interceptor.hpp"

namespace interop {

/// The context of that id among those that `get` knows; empty if there is none.
template <class Get>
ContextOctets context_of(const Get& get) {
  try {
    return get(kContextId).context_data();
  } catch (const CORBA::BAD_PARAM&) {
    return {};
  }
}

/// Sends a context with each request, and counts the replies that have the answer to it.
class ContextSender final : public PortableInterceptor::ClientRequestInterceptor {
  using InfoRef = IDL::traits<PortableInterceptor::ClientRequestInfo>::ref_type;

 public:
  explicit ContextSender(ContextCounts& counts) : counts_(counts) {}
  std::string name() override { return "sender"; }
  void destroy() override {}
  void send_request(InfoRef info) override {
    info->add_request_service_context(IOP::ServiceContext(kContextId, counts_.next()), false);
  }
  void send_poll(InfoRef) override {}
  void receive_reply(InfoRef info) override { compare(info); }
  void receive_exception(InfoRef info) override { compare(info); }
  void receive_other(InfoRef) override {}

 private:
  void compare(const InfoRef& info) {
    const auto sent = context_of([&](IOP::ServiceId id) { return info->get_request_service_context(id); });
    counts_.compare(sent, context_of([&](IOP::ServiceId id) { return info->get_reply_service_context(id); }));
  }

  ContextCounts& counts_;
};

/// Answers the context of a request with its octets the other way round.
class ContextAnswerer final : public PortableInterceptor::ServerRequestInterceptor {
  using InfoRef = IDL::traits<PortableInterceptor::ServerRequestInfo>::ref_type;

 public:
  std::string name() override { return "answerer"; }
  void destroy() override {}
  void receive_request_service_contexts(InfoRef) override {}
  void receive_request(InfoRef) override {}
  void send_reply(InfoRef info) override { answer(info); }
  void send_exception(InfoRef info) override { answer(info); }
  void send_other(InfoRef) override {}

 private:
  static void answer(const InfoRef& info) {
    auto data = context_of([&](IOP::ServiceId id) { return info->get_request_service_context(id); });
    if (data.empty()) return;
    std::reverse(data.begin(), data.end());
    info->add_reply_service_context(IOP::ServiceContext(kContextId, data), false);
  }
};

/// Gives each ORB that is made from now on both, if the options ask for it.
inline void intercept(const Options& options, ContextCounts& counts) {
  class Initializer final : public PortableInterceptor::ORBInitializer {
   public:
    explicit Initializer(ContextCounts& counts) : counts_(counts) {}
    void pre_init(IDL::traits<PortableInterceptor::ORBInitInfo>::ref_type info) override {
      info->add_client_request_interceptor(CORBA::make_reference<ContextSender>(counts_));
      info->add_server_request_interceptor(CORBA::make_reference<ContextAnswerer>());
    }
    void post_init(IDL::traits<PortableInterceptor::ORBInitInfo>::ref_type) override {}

   private:
    ContextCounts& counts_;
  };
  if (options.contexts()) PortableInterceptor::register_orb_initializer(CORBA::make_reference<Initializer>(counts));
}

}  // namespace interop
