// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/unix/unix.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>

#include "corbel/ipc/acceptor.hpp"
#include "corbel/transport/endpoint_text.hpp"

namespace corbel::transport {
namespace {

using base::Code;
using base::Deadline;
using namespace std::chrono_literals;

std::string path_of(const Endpoint& endpoint) {
  return endpoint.text().substr(7);
}

TEST(Unix, AGeneratedSocketIsPrivateAndLeavesNothingBehind) {
  const auto factory = make_unix();
  auto acceptor = factory->listen(**factory->parse(""), {});
  ASSERT_TRUE(acceptor);
  const std::filesystem::path socket = path_of(*(*acceptor)->endpoints().front());
  const std::filesystem::path directory = socket.parent_path();
  struct stat status {};
  ASSERT_EQ(::stat(directory.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0700U);
  EXPECT_EQ(status.st_uid, ::getuid());
  EXPECT_TRUE(factory->make_connector({})->connect(*(*acceptor)->endpoints().front(), Deadline::after(20s)));
  const auto other = factory->listen(**factory->parse(""), {});
  ASSERT_TRUE(other);
  EXPECT_NE(path_of(*(*other)->endpoints().front()), socket.string());
  (*acceptor)->close();
  EXPECT_FALSE(std::filesystem::exists(directory));
}

TEST(Unix, ReplacesASocketThatNobodyListensOn) {
  const std::string path = "/tmp/corbel-unix-test-" + std::to_string(::getpid());
  {
    ipc::AcceptorOptions<ipc::UnixAddress> keep;
    keep.remove_on_close = false;
    ASSERT_TRUE(ipc::UnixAcceptor::open(*ipc::UnixAddress::path(path), keep));
  }
  ASSERT_TRUE(std::filesystem::exists(path));
  const auto factory = make_unix();
  auto acceptor = factory->listen(**factory->parse(path), {});
  ASSERT_TRUE(acceptor) << base::to_string(acceptor.error());
  acceptor->reset();
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(Unix, ConnectingToAnUnnamedSocketIsUnreachable) {
  const auto factory = make_unix();
  const auto result = factory->make_connector({})->connect(**factory->parse(""), Deadline::after(20s));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::unreachable);
}

ior::TaggedProfile iiop_with(const ior::HostPath& address) {
  ior::IiopProfile profile;
  profile.host = address.host;
  profile.components = {ior::encode_unix_address(address)};
  return ior::encode_profile(profile);
}

TEST(Unix, ReadsTheComponentOfOmniOrbOnTheSameMachineOnly) {
  const auto factory = make_unix();
  const auto here = factory->decode(iiop_with({machine_name(), "/tmp/s"}), {});
  ASSERT_TRUE(here);
  ASSERT_EQ(here->endpoints.size(), 1U);
  EXPECT_EQ(here->endpoints[0]->text(), "unix:///tmp/s");
  const auto elsewhere = factory->decode(iiop_with({"not-" + machine_name(), "/tmp/s"}), {});
  ASSERT_FALSE(elsewhere);
  EXPECT_EQ(elsewhere.error().code, Code::unsupported);
}

TEST(Unix, ReadsTheUiopProfileOfTao) {
  // TAO 2.2.1: the body of the UIOP profile that it writes beside IIOP.
  base::Bytes body;
  ASSERT_TRUE(
      base::from_hex("01010200150000002f746d702f7265662f7665632f742f75736f636b000000002a00000014010f004e555000000015000"
                     "0000001000000526f"
                     "6f74504f4100676f6c640000000000010000005431000002000000000000000800000001bc6f56004f415401000000180"
                     "0000001bc6f560100"
                     "010001000000010001050901010000000000",
                     body));
  const auto reachable = make_unix()->decode({0x54414f00, body}, {});
  ASSERT_TRUE(reachable);
  ASSERT_EQ(reachable->endpoints.size(), 1U);
  EXPECT_EQ(reachable->endpoints[0]->text(), "unix:///tmp/ref/vec/t/usock");
  EXPECT_EQ(reachable->base.object_key.size(), 42U);
}

TEST(Unix, PublishesForTaoAndForOmniOrb) {
  const auto factory = make_unix();
  const std::vector<EndpointPtr> endpoints{*factory->parse("/tmp/s")};
  std::vector<ior::TaggedProfile> profiles;
  ASSERT_TRUE(factory->publish(endpoints, {}, profiles));
  ASSERT_EQ(profiles.size(), 2U);
  const auto uiop = ior::decode_uiop_profile(profiles[0]);
  ASSERT_TRUE(uiop);
  EXPECT_EQ(uiop->path, "/tmp/s");
  const auto iiop = ior::decode_iiop_profile(profiles[1]);
  ASSERT_TRUE(iiop);
  EXPECT_EQ(iiop->host, machine_name());
  EXPECT_EQ(iiop->port, 0);
  ASSERT_EQ(iiop->components.size(), 1U);
  EXPECT_EQ(ior::decode_unix_address(iiop->components[0])->path, "/tmp/s");
}

TEST(Unix, AddsItselfToTheProfileOfTcp) {
  ior::IiopProfile tcp;
  tcp.host = "host";
  tcp.port = 7;
  std::vector<ior::TaggedProfile> profiles{ior::encode_profile(tcp)};
  const auto factory = make_unix();
  const std::vector<EndpointPtr> endpoints{*factory->parse("/tmp/s")};
  ASSERT_TRUE(factory->publish(endpoints, {}, profiles));
  ASSERT_EQ(profiles.size(), 2U);
  const auto iiop = ior::decode_iiop_profile(profiles[0]);
  ASSERT_TRUE(iiop);
  EXPECT_EQ(iiop->host, "host");
  EXPECT_EQ(iiop->port, 7);
  EXPECT_EQ(iiop->components.size(), 1U);
}

TEST(Unix, ReadsUiopAddressesOfUrls) {
  const auto factory = make_unix();
  const auto endpoint = factory->from_url({"uiop", {1, 2}, "/tmp/s", 0});
  ASSERT_TRUE(endpoint);
  EXPECT_EQ((*endpoint)->text(), "unix:///tmp/s");
  EXPECT_EQ(factory->from_url({"uiop", {1, 2}, "", 0}).error().code, Code::bad_argument);
  EXPECT_EQ(factory->from_url({"iiop", {1, 2}, "host", 1}).error().code, Code::unsupported);
}

}  // namespace
}  // namespace corbel::transport
