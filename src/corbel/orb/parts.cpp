// SPDX-License-Identifier: Apache-2.0
// What an ORB is made of, changed while it runs.
#include "corbel/orb/parts.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "corbel/corba/minor_codes.hpp"
#include "corbel/orb/core.hpp"
#include "corbel/orb/local_services.hpp"
#include "corbel/orb/no_memory.hpp"
#include "corbel/orb/option_list.hpp"
#include "corbel/orb/part_failure.hpp"
#include "corbel/orb/parts_setup.hpp"
#include "corbel/orb/plugin_loading.hpp"
#include "corbel/orb/read_options.hpp"

namespace corbel::orb {

using base::Deadline;

namespace {

[[noreturn]] void refuse(const std::string& why) {
  throw CORBA::BAD_PARAM(corba::vendor_minor(base::Stage::configure, base::Code::bad_argument),
                         CORBA::CompletionStatus::COMPLETED_NO, why);
}

Core& running(CORBA::ORB& orb) {
  Core& core = orb._core();
  if (core.is_shut_down()) core.refuse_call();
  return core;
}

void add(Core& core, const std::vector<routing::ProtocolPtr>& protocols, std::vector<routing::FactoryPtr> transports) {
  const std::string why = core.add(protocols, std::move(transports));
  if (!why.empty()) refuse(why);
}

Deadline until(base::Duration wait) {
  return wait > base::Duration::zero() ? Deadline::after(wait) : Deadline::now();
}

}  // namespace

std::vector<routing::FactoryPtr> set_up(std::vector<routing::FactoryPtr> transports, const Options& options,
                                        const base::Log& log) {
  for (auto& transport : transports) {
    if (transport == nullptr) continue;
    const auto values = transport->options();
    if (values != nullptr) set_given(values->list(), options);
    auto own = made_by("transport", transport->scheme(), [&] { return transport->with({&log, values.get()}); });
    if (own != nullptr) transport = std::move(own);
  }
  return transports;
}

std::vector<routing::ProtocolPtr> layered(std::vector<routing::ProtocolPtr> protocols,
                                          const std::vector<std::shared_ptr<const messaging::Layer>>& layers,
                                          const Options& options, const base::Log& log) {
  for (const auto& layer : layers) {
    if (layer == nullptr) continue;
    const auto found = std::find_if(protocols.begin(), protocols.end(), [&](const auto& one) {
      return one != nullptr && one->name() == layer->protocol();
    });
    if (found == protocols.end()) {
      refuse("no protocol '" + std::string(layer->protocol()) + "' is there for the layer '" +
             std::string(layer->name()) + "'");
    }
    const auto values = layer->options();
    if (values != nullptr) set_given(values->list(), options);
    *found = made_by("layer", layer->name(), [&] { return layer->over(std::move(*found), {&log, values.get()}); });
  }
  return protocols;
}

std::string Core::add(const std::vector<routing::ProtocolPtr>& protocols, std::vector<routing::FactoryPtr> transports) {
  std::vector<const transport::Factory*> all;
  const auto there = registry_.transports();
  all.reserve(there.size() + transports.size());
  for (const auto& each : there) all.push_back(&each->factory());
  for (const auto& each : transports) all.push_back(each.get());
  std::string why = option_clash(all);
  if (!why.empty()) return why;
  const auto ready = set_up(std::move(transports), options_, log_);
  why = made_by("part", "of those added", [&] { return registry_.add(protocols, ready); });
  if (!why.empty()) return why;
  for (const auto& each : protocols) CORBEL_LOG(log_, orb, info, "protocol added", {"protocol", each->name()});
  for (const auto& each : ready) CORBEL_LOG(log_, orb, info, "transport added", {"transport", each->scheme()});
  return why;
}

bool Core::withdraw_protocol(std::string_view name, Deadline deadline) {
  const auto gone = registry_.withdraw_protocol(name);
  if (gone == nullptr) refuse("no protocol '" + std::string(name) + "' is there to withdraw");
  CORBEL_LOG(log_, orb, info, "protocol withdrawn", {"protocol", name});
  return withdraw([&](const auto& protocol, const auto&) { return &protocol == gone.get(); }, deadline);
}

bool Core::withdraw_transport(std::string_view scheme, Deadline deadline) {
  const auto gone = registry_.withdraw_transport(scheme);
  if (gone == nullptr) refuse("no transport '" + std::string(scheme) + "' is there to withdraw");
  CORBEL_LOG(log_, orb, info, "transport withdrawn", {"transport", scheme});
  return withdraw([&](const auto&, const auto& transport) { return transport == gone; }, deadline);
}

/// After the registry: a thread that begins to listen or to connect looks there once more when it is done.
bool Core::withdraw(base::FunctionRef<bool(const messaging::Protocol&, const routing::TransportPtr&)> which,
                    Deadline deadline) {
  {
    const std::lock_guard lock(listen_mutex_);
    for (const auto& lane : lanes_) {
      (void)lane->close([&](const routing::ListenPoint& point) { return which(*point.protocol, point.transport); });
    }
  }
  bidirectional_.note_endpoints();
  const auto matches = [&](const connection::Connection& one) { return which(one.protocol(), one.installed()); };
  bool ended = true;
  for (const auto& lane : lanes_) ended = lane->server().drain(matches, deadline) && ended;
  return cache_.withdraw(matches, deadline) && ended;
}

std::vector<std::string> Core::listen_at(const std::string& endpoint, std::string_view lane) {
  Lane* const chosen = find_lane(lane);
  if (chosen == nullptr) refuse("there is no lane '" + std::string(lane) + "' (-ORBLane)");
  (void)listen(*chosen);
  std::vector<std::string> texts;
  {
    const std::lock_guard lock(listen_mutex_);
    texts = chosen->open(endpoint);
  }
  bidirectional_.note_endpoints();
  return texts;
}

void Core::add_lane(const LaneOptions& lane) {
  check_process();
  const std::lock_guard lock(listen_mutex_);
  if (is_shut_down()) refuse_call();
  if (find_lane(lane.name) != nullptr) refuse("there is a lane '" + lane.name + "' already");
  make_lane(lane);
  CORBEL_LOG(log_, orb, info, "lane added", {"lane", lane.name}, {"threads", lane.threads});
}

bool Core::stop_listening(std::string_view endpoint) {
  const auto point = registry_.parse_endpoint(endpoint);
  if (!point) return false;
  const auto is_it = [&](const routing::ListenPoint& one) {
    return one.protocol == point->protocol && one.endpoint->text() == point->endpoint->text();
  };
  bool any = false;
  {
    const std::lock_guard lock(listen_mutex_);
    for (const auto& lane : lanes_) any = lane->close(is_it) || any;
  }
  if (!any) return false;
  CORBEL_LOG(log_, transport, info, "listening no more", {"endpoint", endpoint});
  bidirectional_.note_endpoints();
  return true;
}

void add_protocol(CORBA::ORB& orb, std::shared_ptr<const messaging::Protocol> protocol) {
  or_no_memory([&] { add(running(orb), {std::move(protocol)}, {}); });
}

void add_transport(CORBA::ORB& orb, std::shared_ptr<const transport::Factory> transport) {
  or_no_memory([&] { add(running(orb), {}, {std::move(transport)}); });
}

void load_plugin(CORBA::ORB& orb, const std::string& file) {
  or_no_memory([&] { load_plugin(running(orb), file); });
}

bool withdraw_protocol(CORBA::ORB& orb, std::string_view name, base::Duration wait) {
  return or_no_memory([&] { return running(orb).withdraw_protocol(name, until(wait)); });
}

bool withdraw_transport(CORBA::ORB& orb, std::string_view scheme, base::Duration wait) {
  return or_no_memory([&] { return running(orb).withdraw_transport(scheme, until(wait)); });
}

std::vector<std::string> listen(CORBA::ORB& orb, const std::string& endpoint, std::string_view lane) {
  return or_no_memory([&] { return running(orb).listen_at(endpoint, lane); });
}

namespace {

std::string serve_here(CORBA::ORB& orb, const std::string& name) {
  std::string why;
  const std::string path = local_service_path(running(orb), name, why);
  std::string endpoint = "unix://" + path;
  if (why.empty()) {
    listen(orb, endpoint);
    try {
      why = admit_to_local_service(path);
    } catch (const std::bad_alloc&) {
      stop_listening(orb, endpoint);
      throw;
    }
    if (!why.empty()) stop_listening(orb, endpoint);
  }
  if (why.empty()) return endpoint;
  throw CORBA::INITIALIZE(corba::vendor_minor(base::Stage::listen, base::Code::bad_argument),
                          CORBA::CompletionStatus::COMPLETED_NO, why);
}

}  // namespace

std::string serve_locally(CORBA::ORB& orb, const std::string& name) {
  return or_no_memory([&] { return serve_here(orb, name); }, corba::Completed::maybe);
}

void add_lane(CORBA::ORB& orb, const std::string& name, std::uint32_t threads,
              const std::vector<std::string>& endpoints, std::size_t stack_size) {
  or_no_memory([&] {
    if (threads == 0) refuse("a lane without threads serves nobody");
    LaneOptions lane{name, threads, {}, stack_size};
    for (const auto& endpoint : endpoints) lane.endpoints.push_back({{}, endpoint});
    running(orb).add_lane(lane);
  });
}

bool stop_listening(CORBA::ORB& orb, const std::string& endpoint) {
  return or_no_memory([&] { return running(orb).stop_listening(endpoint); });
}

}  // namespace corbel::orb
