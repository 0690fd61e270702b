// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/unix/unix.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "corbel/ipc/acceptor.hpp"
#include "corbel/transport/endpoint_text.hpp"
#include "support/files.hpp"

namespace corbel::transport {
namespace {

using base::Code;
using base::Deadline;
using namespace std::chrono_literals;

std::string path_of(const Endpoint& endpoint) {
  return endpoint.text().substr(7);
}

/// The folder of generated sockets, for a test alone.
class OwnRuntimeFolder {
 public:
  OwnRuntimeFolder() { ::setenv("XDG_RUNTIME_DIR", path().c_str(), 1); }
  OwnRuntimeFolder(const OwnRuntimeFolder&) = delete;
  OwnRuntimeFolder& operator=(const OwnRuntimeFolder&) = delete;
  ~OwnRuntimeFolder() { ::unsetenv("XDG_RUNTIME_DIR"); }
  std::size_t files() const {
    const auto folder = folder_.path() / "corbel";
    if (!std::filesystem::exists(folder)) return 0;
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
  }
  std::string path() const { return folder_.path(); }

 private:
  const test::Folder folder_;
};

TEST(Unix, AGeneratedSocketIsPrivateAndLeavesNothingBehind) {
  const OwnRuntimeFolder own;
  const auto factory = make_unix();
  auto acceptor = factory->listen(**factory->parse(""), {});
  ASSERT_TRUE(acceptor);
  const std::filesystem::path socket = path_of(*(*acceptor)->endpoints().front());
  const std::filesystem::path directory = socket.parent_path();
  struct stat status {};
  ASSERT_EQ(::stat(directory.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0700U);
  EXPECT_EQ(status.st_uid, ::getuid());
  EXPECT_TRUE(factory->make_connector()->connect(*(*acceptor)->endpoints().front(), {}, Deadline::after(20s)));
  const auto other = factory->listen(**factory->parse(""), {});
  ASSERT_TRUE(other);
  EXPECT_NE(path_of(*(*other)->endpoints().front()), socket.string());
  (*acceptor)->close();
  EXPECT_FALSE(std::filesystem::exists(socket));
  EXPECT_EQ(own.files(), 1U);
  EXPECT_TRUE(factory->make_connector()->connect(*(*other)->endpoints().front(), {}, Deadline::after(20s)));
  (*other)->close();
  EXPECT_FALSE(std::filesystem::exists(directory));
}

/// A server that is killed while it listens on a generated socket.
void kill_a_server() {
  const pid_t child = ::fork();
  if (child == 0) {
    const auto factory = make_unix();
    const auto acceptor = factory->listen(**factory->parse(""), {});
    ::raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

TEST(Unix, WhatKilledServersLeaveBehindGoesWithTheNextStart) {
  const OwnRuntimeFolder own;
  const auto factory = make_unix();
  auto living = factory->listen(**factory->parse(""), {});
  ASSERT_TRUE(living);
  for (int server = 0; server < 5; ++server) kill_a_server();
  // Each start removes what the one before left.
  EXPECT_EQ(own.files(), 2U);
  const auto next = factory->listen(**factory->parse(""), {});
  ASSERT_TRUE(next);
  EXPECT_EQ(own.files(), 2U);
  EXPECT_TRUE(factory->make_connector()->connect(*(*living)->endpoints().front(), {}, Deadline::after(20s)));
}

TEST(Unix, FilesInTheFolderThatAreNoSocketsOfDeadProcessesStay) {
  const OwnRuntimeFolder own;
  std::filesystem::create_directory(own.path() + "/corbel");
  std::filesystem::permissions(own.path() + "/corbel", std::filesystem::perms::owner_all);
  for (const char* name : {"notes", "1-1", "99999999-1", "-1-1", "x-1"}) {
    std::ofstream(own.path() + "/corbel/" + name) << "kept";
  }
  const auto factory = make_unix();
  const auto acceptor = factory->listen(**factory->parse(""), {});
  ASSERT_TRUE(acceptor);
  EXPECT_EQ(own.files(), 6U);
}

TEST(Unix, AFolderThatOthersMayEnterIsNotUsed) {
  const OwnRuntimeFolder own;
  std::filesystem::create_directory(own.path() + "/corbel");
  std::filesystem::permissions(own.path() + "/corbel", std::filesystem::perms::all);
  const auto factory = make_unix();
  const auto acceptor = factory->listen(**factory->parse(""), {});
  ASSERT_TRUE(acceptor);
  EXPECT_EQ(own.files(), 0U);
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

// Others take the path in an IIOP profile's component for one in the file system.
TEST(Unix, AbstractNamesAreToldInNoProfileOfOthers) {
  const auto factory = make_unix();
  const auto published = [&](const char* address) {
    std::vector<ior::TaggedProfile> profiles;
    ior::ProfileBase base;
    base.version = {1, 2};
    base.object_key = {'k'};
    const std::vector<EndpointPtr> endpoints = {*factory->parse(address)};
    EXPECT_TRUE(factory->publish(endpoints, base, profiles));
    return profiles.size();
  };
  EXPECT_EQ(published("/tmp/corbel-unix-published"), 2U) << "of its own, and an IIOP profile";
  EXPECT_EQ(published("@corbel-unix-published"), 1U);
}

TEST(Unix, ConnectingToAnUnnamedSocketIsUnreachable) {
  const auto factory = make_unix();
  const auto result = factory->make_connector()->connect(**factory->parse(""), {}, Deadline::after(20s));
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

TEST(Unix, AUiopProfileThatSaysWhoseItIsLeadsNowhereOnOtherHosts) {
  ior::UiopProfile uiop;
  uiop.version = {1, 2};
  uiop.path = "/tmp/s";
  for (const bool here : {true, false}) {
    uiop.components = {ior::encode_unix_address({here ? machine_name() : "not-" + machine_name(), "/tmp/s"})};
    const auto reachable = make_unix()->decode(ior::encode_profile(uiop), {});
    EXPECT_EQ(reachable.ok(), here);
    EXPECT_EQ(reachable ? Code::none : reachable.error().code, here ? Code::none : Code::unsupported);
  }
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
