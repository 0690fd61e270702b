// SPDX-License-Identifier: Apache-2.0
// What RequestInfo tells at which point, everything else being BAD_INV_ORDER 14 (CORBA 3.3 part 1, tables 16.1, 16.2).
#include <gtest/gtest.h>

#include "support.hpp"

namespace corbel::interceptors_test {
namespace {

/// "y" and "n" for the points in the order of the table.
template <class Info>
struct Row {
  const char* name;
  std::string points;
  std::function<void(const Info&)> use;
};

const std::vector<Row<ClientInfoRef>>& client_table() {
  static const std::vector<Row<ClientInfoRef>> kTable = {
      // send_request, receive_reply, receive_exception, receive_other
      {"request_id", "yyyy", [](const auto& info) { info->request_id(); }},
      {"operation", "yyyy", [](const auto& info) { info->operation(); }},
      {"arguments", "yynn", [](const auto& info) { info->arguments(); }},
      {"exceptions", "yyyy", [](const auto& info) { info->exceptions(); }},
      {"contexts", "yyyy", [](const auto& info) { info->contexts(); }},
      {"operation_context", "yyyy", [](const auto& info) { info->operation_context(); }},
      {"result", "nynn", [](const auto& info) { info->result(); }},
      {"response_expected", "yyyy", [](const auto& info) { info->response_expected(); }},
      {"sync_scope", "yyyy", [](const auto& info) { info->sync_scope(); }},
      {"reply_status", "nyyy", [](const auto& info) { info->reply_status(); }},
      {"forward_reference", "nnny", [](const auto& info) { info->forward_reference(); }},
      {"get_slot", "yyyy", [](const auto& info) { info->get_slot(0); }},
      {"get_request_service_context", "yyyy", [](const auto& info) { info->get_request_service_context(9); }},
      {"get_reply_service_context", "nyyy", [](const auto& info) { info->get_reply_service_context(9); }},
      {"target", "yyyy", [](const auto& info) { info->target(); }},
      {"effective_target", "yyyy", [](const auto& info) { info->effective_target(); }},
      {"effective_profile", "yyyy", [](const auto& info) { info->effective_profile(); }},
      {"received_exception", "nnyn", [](const auto& info) { info->received_exception(); }},
      {"received_exception_id", "nnyn", [](const auto& info) { info->received_exception_id(); }},
      {"get_effective_component", "yyyy", [](const auto& info) { info->get_effective_component(1); }},
      {"get_effective_components", "yyyy", [](const auto& info) { info->get_effective_components(1); }},
      {"get_request_policy", "yyyy", [](const auto& info) { info->get_request_policy(4711); }},
      {"add_request_service_context", "ynnn",
       [](const auto& info) { info->add_request_service_context(context(7, ""), true); }},
  };
  return kTable;
}

const std::vector<Row<ServerInfoRef>>& server_table() {
  static const std::vector<Row<ServerInfoRef>> kTable = {
      // receive_request_service_contexts, receive_request, send_reply, send_exception, send_other
      {"request_id", "yyyyy", [](const auto& info) { info->request_id(); }},
      {"operation", "yyyyy", [](const auto& info) { info->operation(); }},
      {"arguments", "nyynn", [](const auto& info) { info->arguments(); }},
      {"exceptions", "nyyyy", [](const auto& info) { info->exceptions(); }},
      {"contexts", "nyyyy", [](const auto& info) { info->contexts(); }},
      {"operation_context", "nyynn", [](const auto& info) { info->operation_context(); }},
      {"result", "nnynn", [](const auto& info) { info->result(); }},
      {"response_expected", "yyyyy", [](const auto& info) { info->response_expected(); }},
      {"sync_scope", "yyyyy", [](const auto& info) { info->sync_scope(); }},
      {"reply_status", "nnyyy", [](const auto& info) { info->reply_status(); }},
      {"forward_reference", "nnnny", [](const auto& info) { info->forward_reference(); }},
      {"get_slot", "yyyyy", [](const auto& info) { info->get_slot(0); }},
      {"get_request_service_context", "yyyyy", [](const auto& info) { info->get_request_service_context(9); }},
      {"get_reply_service_context", "nnyyy", [](const auto& info) { info->get_reply_service_context(9); }},
      {"sending_exception", "nnnyn", [](const auto& info) { info->sending_exception(); }},
      {"server_id", "nyyyy", [](const auto& info) { info->server_id(); }},
      {"orb_id", "nyyyy", [](const auto& info) { info->orb_id(); }},
      {"adapter_name", "nyyyy", [](const auto& info) { info->adapter_name(); }},
      {"object_id", "nyyyy", [](const auto& info) { info->object_id(); }},
      {"adapter_id", "nyyyy", [](const auto& info) { info->adapter_id(); }},
      {"target_most_derived_interface", "nynnn", [](const auto& info) { info->target_most_derived_interface(); }},
      {"get_server_policy", "yyyyy",
       [](const auto& info) { EXPECT_NE(info->get_server_policy(PortableServer::LIFESPAN_POLICY_ID), nullptr); }},
      {"set_slot", "yyyyy", [](const auto& info) { info->set_slot(0, {}); }},
      {"target_is_a", "nynnn", [](const auto& info) { info->target_is_a(""); }},
      {"add_reply_service_context", "yyyyy",
       [](const auto& info) { info->add_reply_service_context(context(7, ""), true); }},
  };
  return kTable;
}

/// Tries the whole table at one of its points.
template <class Info>
std::function<void(const Info&)> trying(const std::vector<Row<Info>>& table, std::size_t point, int& tried) {
  return [&table, point, &tried](const Info& info) {
    for (const Row<Info>& row : table) {
      const bool refused = ending_of([&] { row.use(info); }) == "BAD_INV_ORDER NO 14";
      EXPECT_EQ(refused, row.points.at(point) == 'n') << row.name << " at point " << point;
    }
    ++tried;
  };
}

struct Everything {
  Story story;
  CORBA::object_reference<ClientWatch> client = CORBA::make_reference<ClientWatch>("C", story);
  CORBA::object_reference<ServerWatch> server = CORBA::make_reference<ServerWatch>("S", story);
  Orb orb{Parts{
      .clients = {client}, .servers = {server}, .pre_init = [](const InitInfoRef& info) { info->allocate_slot_id(); }}};
};

TEST(Validity, OfClientRequestInfoIsThatOfTable_16_1) {
  Everything all;
  int tried = 0;
  const char* points[] = {"send_request", "receive_reply", "receive_exception", "receive_other"};
  for (std::size_t i = 0; i < 4; ++i) all.client->set(points[i], trying(client_table(), i, tried));
  test::FakePeer other({test::answer::text("")});
  test::FakePeer peer({test::answer::system_exception("NO_PERMISSION", 0), test::answer::forward({other.profile()})});
  const ThingRef thing = all.orb.thing(peer.ior());
  EXPECT_EQ(ending_of([&] { thing->ask(""); }), "NO_PERMISSION YES");
  thing->ask("");
  EXPECT_EQ(tried, 6);
}

TEST(Validity, OfServerRequestInfoIsThatOfTable_16_2) {
  Everything all;
  const Orb client{Parts{}};
  int tried = 0;
  const char* points[] = {"contexts", "receive_request", "send_reply", "send_exception", "send_other"};
  for (std::size_t i = 0; i < 5; ++i) all.server->set(points[i], trying(server_table(), i, tried));
  const auto servant = CORBA::make_reference<Servant>();
  const auto reference = all.orb->object_to_string(all.orb.root()->servant_to_reference(servant));
  const ThingRef thing = client.thing(reference);
  thing->ask("");
  EXPECT_EQ(ending_of([&] { thing->ask("refuse"); }), "Refused");
  EXPECT_EQ(tried, 6);
  test::FakePeer other({test::answer::text("")});
  all.server->set("receive_request",
                  [&](const ServerInfoRef&) { throw PI::ForwardRequest(all.orb->string_to_object(other.ior())); });
  thing->ask("");
  EXPECT_EQ(tried, 8);
}

TEST(Validity, EndsWithThePoint) {
  Everything all;
  ClientInfoRef client;
  ServerInfoRef server;
  all.client->set("send_request", [&](const ClientInfoRef& info) { client = info; });
  all.server->set("receive_request", [&](const ServerInfoRef& info) { server = info; });
  const auto servant = CORBA::make_reference<Servant>();
  IDL::traits<Watched::Thing>::narrow(all.orb.root()->servant_to_reference(servant))->ask("");
  ASSERT_NE(client, nullptr);
  ASSERT_NE(server, nullptr);
  for (const auto& row : client_table()) EXPECT_EQ(ending_of([&] { row.use(client); }), "BAD_INV_ORDER NO 14");
  for (const auto& row : server_table()) EXPECT_EQ(ending_of([&] { row.use(server); }), "BAD_INV_ORDER NO 14");
}

TEST(Validity, OfForwardReferenceDependsOnTheStatus) {
  Everything all;
  test::FakePeer peer({test::answer::nothing()});
  std::string ending;
  all.client->set("receive_other",
                  [&](const ClientInfoRef& info) { ending = ending_of([&] { info->forward_reference(); }); });
  all.orb.thing(peer.ior())->note(1);
  EXPECT_EQ(ending, "BAD_INV_ORDER NO 14");
}

}  // namespace
}  // namespace corbel::interceptors_test
