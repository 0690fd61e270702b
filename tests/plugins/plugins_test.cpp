// SPDX-License-Identifier: Apache-2.0
// -ORBLoad and load_plugin: what a plug-in brings is used, and what cannot be loaded is refused with the reason.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "corbel/base/kept_log.hpp"
#include "corbel/messaging/giop/giop.hpp"
#include "corbel/orb/components.hpp"
#include "corbel/orb/orb.hpp"
#include "corbel/orb/parts.hpp"
#include "corbel/poa/adapter.hpp"
#include "corbel/poa/poa.hpp"
#include "corbel/transport/tcp/tcp.hpp"

namespace corbel::orb {
namespace {

using OrbRef = IDL::traits<CORBA::ORB>::ref_type;

OrbRef make(const std::string& id, std::vector<std::string> arguments) {
  return init(arguments, id, {{messaging::make_giop()}, {transport::make_tcp()}, &poa::make_adapter});
}

/// What ORB_init says about the plug-in.
std::string refusal(const std::string& file) {
  try {
    make("refused", {"-ORBLoad", file})->destroy();
  } catch (const CORBA::INITIALIZE& exception) {
    return exception.what();
  }
  return "taken";
}

const std::string kFolder = CORBEL_PLUGINS;

TEST(Plugins, WhatOneBringsIsUsedOnBothSides) {
  const OrbRef server = make("plugged-server", {"-ORBLoad", kFolder + "good.so", "-ORBListenEndpoints", "unix://"});
  const auto root = IDL::traits<PortableServer::POA>::narrow(server->resolve_initial_references("RootPOA"));
  root->the_POAManager()->activate();
  const std::string reference = server->object_to_string(root->create_reference("IDL:corbel.test/Nothing:1.0"));
  const OrbRef client = make("plugged-client", {"-ORBLoad", kFolder + "good.so"});
  EXPECT_TRUE(client->string_to_object(reference)->_non_existent());
  const OrbRef without = make("unplugged", {});
  EXPECT_THROW(without->string_to_object(reference)->_non_existent(), CORBA::SystemException);
  without->destroy();
  client->destroy();
  server->destroy();
}

TEST(Plugins, AConfigurationFileNamesThemRelativeToItsFolder) {
  const std::string file = kFolder + "plugins_test.conf";
  std::ofstream(file) << "# next to the plug-in\nListenEndpoints unix://\nLoad ./good.so\n";
  const OrbRef orb = make("told by a file", {"-ORBConfigFile", file});
  EXPECT_EQ(listen(*orb, "unix://").size(), 1U);
  orb->destroy();
  std::ofstream(file) << "\nLoad ./failing.so\n";
  try {
    make("refused", {"-ORBConfigFile", file})->destroy();
    ADD_FAILURE();
  } catch (const CORBA::INITIALIZE& failure) {
    const std::string expected = file + ":2: -ORBLoad " + kFolder + "./failing.so: it failed: no licence for this host";
    EXPECT_NE(std::string(failure.what()).find(expected), std::string::npos) << failure.what();
  }
  ::unlink(file.c_str());
}

TEST(Plugins, OneIsLoadedWhileTheOrbRuns) {
  const OrbRef server = make("running-server", {"-ORBListenEndpoints", "tcp://127.0.0.1:0"});
  const auto root = IDL::traits<PortableServer::POA>::narrow(server->resolve_initial_references("RootPOA"));
  root->the_POAManager()->activate();
  const auto reference = [&] {
    return server->object_to_string(root->create_reference("IDL:corbel.test/Nothing:1.0"));
  };
  load_plugin(*server, kFolder + "good.so");
  EXPECT_EQ(listen(*server, "unix://").size(), 1U);
  EXPECT_TRUE(withdraw_transport(*server, "tcp"));
  const std::string only_unix = reference();
  const OrbRef client = make("running-client", {});
  const auto object = client->string_to_object(only_unix);
  EXPECT_THROW(object->_non_existent(), CORBA::TRANSIENT);
  EXPECT_THROW(load_plugin(*client, kFolder + "foreign_abi.so"), CORBA::INITIALIZE);
  EXPECT_THROW(load_plugin(*client, kFolder + "failing.so"), CORBA::INITIALIZE);
  EXPECT_THROW(load_plugin(*client, kFolder + "taken_name.so"), CORBA::INITIALIZE);
  EXPECT_THROW(load_plugin(*client, kFolder + "taken_option.so"), CORBA::INITIALIZE);
  EXPECT_THROW(object->_non_existent(), CORBA::TRANSIENT);
  load_plugin(*client, kFolder + "good.so");
  EXPECT_TRUE(object->_non_existent());
  EXPECT_THROW(load_plugin(*client, kFolder + "good.so"), CORBA::INITIALIZE);
  EXPECT_TRUE(object->_non_existent());
  client->destroy();
  server->destroy();
}

/// A transport that throws where it is told to.
class Throwing final : public transport::Factory {
 public:
  explicit Throwing(std::string where) : where_(std::move(where)) {}
  // What is to be connected to is found by its endpoint's scheme, which is tcp's.
  std::string_view scheme() const noexcept override { return where_ == "connect" ? "tcp" : "throwing"; }
  base::Result<transport::EndpointPtr> parse(std::string_view address) const override {
    fail_at("parse");
    return tcp_->parse(address);
  }
  std::unique_ptr<transport::Connector> make_connector() const override {
    fail_at("make_connector");
    if (where_ == "connect") return std::make_unique<Connecting>();
    return tcp_->make_connector();
  }
  base::Result<std::unique_ptr<transport::Acceptor>> listen(const transport::Endpoint& endpoint,
                                                            const transport::Options& options) const override {
    fail_at("listen");
    auto acceptor = tcp_->listen(endpoint, options);
    if (where_ == "accept" && acceptor) return {std::make_unique<Accepting>(*std::move(acceptor))};
    return acceptor;
  }
  std::unique_ptr<base::OptionSet> options() const override {
    fail_at("options");
    return nullptr;
  }
  std::shared_ptr<const transport::Factory> with(const transport::Setup&) const override {
    fail_at("with");
    return nullptr;
  }

 private:
  struct Connecting final : transport::Connector {
    base::Result<std::unique_ptr<transport::Transport>> connect(const transport::Endpoint&,
                                                                const transport::ConnectionOptions&,
                                                                base::Deadline) override {
      throw std::runtime_error("no luck in connect");
    }
  };

  /// Throws once.
  class Accepting final : public transport::Acceptor {
   public:
    explicit Accepting(std::unique_ptr<transport::Acceptor> inner) : inner_(std::move(inner)) {}
    base::Result<std::unique_ptr<transport::Transport>> accept() override {
      if (!std::exchange(thrown_, true)) throw std::runtime_error("no luck in accept");
      return inner_->accept();
    }
    int handle() const noexcept override { return inner_->handle(); }
    std::vector<transport::EndpointPtr> endpoints() const override { return inner_->endpoints(); }
    void close() noexcept override { inner_->close(); }

   private:
    const std::unique_ptr<transport::Acceptor> inner_;
    bool thrown_ = false;
  };

  void fail_at(const std::string& where) const {
    if (where == where_) throw std::runtime_error("no luck in " + where);
  }

  const std::string where_;
  const std::shared_ptr<const transport::Factory> tcp_ = transport::make_tcp();
};

const auto kLog = std::make_shared<base::KeptLog>();

OrbRef make_throwing(const std::string& where, std::vector<std::string> arguments = {}) {
  Components components{{messaging::make_giop()}, {std::make_shared<Throwing>(where)}, &poa::make_adapter};
  components.log_sink = kLog;
  return init(arguments, "throwing", components);
}

TEST(Plugins, WhatTheirTransportsThrowIsAnExceptionOfCorba) {
  for (const std::string where : {"options", "with", "make_connector"}) {
    try {
      make_throwing(where)->destroy();
      ADD_FAILURE() << where;
    } catch (const CORBA::INITIALIZE& failure) {
      EXPECT_NE(std::string(failure.what()).find("failed: no luck in " + where), std::string::npos) << failure.what();
    }
  }
  for (const std::string where : {"parse", "listen"}) {
    const OrbRef orb = make_throwing(where, {"-ORBListenEndpoints", "throwing://127.0.0.1:0"});
    try {
      const auto root = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
      (void)root->create_reference("IDL:corbel.test/Nothing:1.0");
      ADD_FAILURE() << where;
    } catch (const CORBA::INITIALIZE& failure) {
      EXPECT_NE(std::string(failure.what()).find("it failed: no luck in " + where), std::string::npos);
    }
    orb->destroy();
  }
  const OrbRef orb = make_throwing("connect");
  const auto object = orb->string_to_object("corbaloc:tcp:127.0.0.1:1/key");
  EXPECT_THROW(object->_non_existent(), CORBA::TRANSIENT);
  EXPECT_EQ(kLog->wait_for("a transport failed").value("why"), "no luck in connect");
  orb->destroy();
}

TEST(Plugins, WhatAnAcceptorThrowsIsLoggedAndTheNextClientIsLetIn) {
  kLog->clear();
  const OrbRef server = make_throwing("accept", {"-ORBListenEndpoints", "throwing://127.0.0.1:0"});
  const auto root = IDL::traits<PortableServer::POA>::narrow(server->resolve_initial_references("RootPOA"));
  root->the_POAManager()->activate();
  const std::string reference = server->object_to_string(root->create_reference("IDL:corbel.test/Nothing:1.0"));
  const OrbRef client = make("throwing-client", {});
  EXPECT_TRUE(client->string_to_object(reference)->_non_existent());
  EXPECT_EQ(kLog->wait_for("a transport failed").value("why"), "no luck in accept");
  client->destroy();
  server->destroy();
}

TEST(Plugins, WhatCannotBeLoadedIsRefusedWithTheReason) {
  const auto says = [](const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos ? std::string() : text;
  };
  EXPECT_EQ(says(refusal(kFolder + "foreign_abi.so"), "built for interface 999, this library has interface"), "");
  EXPECT_EQ(says(refusal(kFolder + "taken_name.so"), "it brings a transport 'tcp', which is there"), "");
  EXPECT_EQ(says(refusal(kFolder + "taken_option.so"),
                 "it brings the option -ORBThreads of transport 'greedy', which the ORB has already"),
            "");
  EXPECT_EQ(says(refusal(kFolder + "failing.so"), "no licence for this host"), "");
  EXPECT_EQ(says(refusal(kFolder + "nil_part.so"), "nil_part.so: it brings an initialiser that is nil"), "");
  EXPECT_EQ(says(refusal(kFolder + "odd_name.so"), R"(it brings a transport 'e vil://;\n': a name has letters)"), "");
  EXPECT_EQ(says(refusal(kFolder + "no_plugin.so"), "this is no plug-in"), "");
  EXPECT_EQ(says(refusal(kFolder + "nowhere.so"), "nowhere.so"), "");
  const std::string text = testing::TempDir() + "corbel_no_object.so";
  std::ofstream(text) << "text";
  EXPECT_EQ(says(refusal(text), text), "");
  const std::string fifo = testing::TempDir() + "corbel_fifo.so";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_EQ(says(refusal(fifo), fifo + ": no regular file"), "");
  ::unlink(fifo.c_str());
  EXPECT_EQ(says(refusal("nowhere.so"), "a name without a slash is looked for in the loader's folders"), "");
}

}  // namespace
}  // namespace corbel::orb
