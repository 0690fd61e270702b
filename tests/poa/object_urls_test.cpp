// SPDX-License-Identifier: Apache-2.0
// corbaloc: and corbaname: URLs from end to end (CORBA 3.3 part 2, 7.6.10): the object's own key, a registered name,
// a name that a naming service resolves.
#include <sys/stat.h>

#include <fstream>

#include "corbel/corba/references.hpp"
#include "files.hpp"
#include "test_support.hpp"

namespace corbel::poa::testing {
namespace {

/// Knows one name, "a.kind/b"; refuses others as a naming service does.
class Names : public PortableServer::Servant {
 public:
  explicit Names(ObjectRef object) : object_(std::move(object)) {}

  bool _dispatch(corba::ServerCall& call) override {
    if (call.operation() != "resolve_str") return false;
    std::string name;
    call.arguments().get_string(name);
    call.check_arguments();
    if (name != "a.kind/b") throw CORBA::OBJECT_NOT_EXIST(1);
    call.reply([&](cdr::Encoder& encoder) { corba::encode_reference(encoder, object_.operator->()); });
    return true;
  }
  std::span<const std::string_view> _interface_ids() const noexcept override {
    static constexpr std::string_view kIds[] = {"IDL:omg.org/CosNaming/NamingContextExt:1.0"};
    return kIds;
  }

 private:
  ObjectRef object_;
};

class ObjectUrls : public ::testing::Test {
 protected:
  ObjectUrls() { root->the_POAManager()->activate(); }
  ~ObjectUrls() override {
    client->destroy();
    orb->destroy();
  }

  OrbRef orb = make_orb("named", {"-ORBListenEndpoints", "inproc://urls"});
  OrbRef client = make_orb("caller");
  PoaRef root = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  ObjectRef object = root->servant_to_reference(CORBA::make_reference<Probe>());
};

TEST_F(ObjectUrls, LeadToRegisteredNames) {
  orb->register_initial_reference("Probe", object);
  EXPECT_EQ(number(client->string_to_object("corbaloc:inproc:urls/Probe")), 1);
  EXPECT_EQ(outcome([&] { number(client->string_to_object("corbaloc:inproc:urls/Nobody")); }),
            "OBJECT_NOT_EXIST 0x4f4d0001");
  EXPECT_EQ(outcome([&] { number(client->string_to_object("corbaloc:inproc:elsewhere/Probe")); }).substr(0, 9),
            "TRANSIENT");
}

TEST_F(ObjectUrls, AreResolvedByTheNamingService) {
  orb->register_initial_reference("NameService", root->servant_to_reference(CORBA::make_reference<Names>(object)));
  EXPECT_EQ(number(client->string_to_object("corbaname:inproc:urls#a.kind/b")), 1);
  EXPECT_EQ(number(client->string_to_object("corbaname:inproc:urls/NameService#a%2ekind/b")), 1);
  EXPECT_EQ(outcome([&] { client->string_to_object("corbaname:inproc:urls#a"); }), "OBJECT_NOT_EXIST 0x00000001");
  const OrbRef other = make_orb("named_client", {"-ORBInitRef", "NameService=corbaloc:inproc:urls/NameService"});
  EXPECT_EQ(number(other->string_to_object("corbaname:rir:#a.kind/b")), 1);
  other->destroy();
}

TEST_F(ObjectUrls, ThatFailAtTheNamingServiceSayWhichNameItWas) {
  orb->register_initial_reference("NameService", root->servant_to_reference(CORBA::make_reference<Names>(object)));
  try {
    client->string_to_object("corbaname:inproc:urls#nobody");
    FAIL();
  } catch (const CORBA::OBJECT_NOT_EXIST& exception) {
    EXPECT_NE(std::string(exception.what()).find("resolving the name 'nobody'"), std::string::npos);
  }
}

TEST_F(ObjectUrls, OfInitialReferencesThatAreNoneAreBadParameters) {
  for (const char* url : {"corbaloc:rir:/X", "corbaname:rir:/X#name", "corbaloc:rir:", "corbaname:rir:#name"}) {
    EXPECT_EQ(outcome([&] { client->string_to_object(url); }), "BAD_PARAM 0x4f4d000a") << url;
  }
}

TEST_F(ObjectUrls, OfInitialReferencesThatLeadInACircleAreBadParameters) {
  const OrbRef circle = make_orb("circle", {"-ORBInitRef", "A=corbaloc:rir:/B", "-ORBInitRef", "B=corbaloc:rir:/A",
                                            "-ORBInitRef", "NameService=corbaname:rir:#name"});
  for (const char* name : {"A", "B", "NameService"}) {
    EXPECT_EQ(outcome([&] { circle->resolve_initial_references(name); }), "BAD_PARAM 0x4f4d000a") << name;
  }
  EXPECT_EQ(outcome([&] { circle->string_to_object("corbaname:rir:#name"); }), "BAD_PARAM 0x4f4d000a");
  circle->destroy();
  const OrbRef prefix = make_orb("circle", {"-ORBDefaultInitRef", "corbaloc:rir:"});
  EXPECT_EQ(outcome([&] { prefix->resolve_initial_references("A"); }), "BAD_PARAM 0x4f4d000a");
  prefix->destroy();
}

/// What string_to_object says about a file: URL.
std::string told(const OrbRef& orb, const std::string& url) {
  try {
    orb->string_to_object(url);
  } catch (const CORBA::BAD_PARAM& exception) {
    return exception.what();
  }
  ADD_FAILURE() << url;
  return {};
}

TEST_F(ObjectUrls, OfFilesReadRegularFilesOnlyAndTellNothingOfTheirContents) {
  const test::Folder place;
  const std::string folder = place.path();
  const auto write = [&](const char* file, const std::string& text) {
    std::ofstream(folder + '/' + file) << text;
    return "file://" + folder + '/' + file;
  };
  EXPECT_EQ(number(client->string_to_object(write("good", "\n " + orb->object_to_string(object) + " \n"))), 1);

  ASSERT_EQ(::mkfifo((folder + "/fifo").c_str(), 0600), 0);
  EXPECT_NE(told(client, "file://" + folder + "/fifo").find("is no regular file"), std::string::npos);
  EXPECT_NE(told(client, "file:///dev/zero").find("is no regular file"), std::string::npos);
  EXPECT_NE(told(client, "file://" + folder).find("is no regular file"), std::string::npos);
  EXPECT_NE(told(client, "file:///nonexistent").find("cannot be opened (No such file or directory)"),
            std::string::npos);
  EXPECT_NE(told(client, write("empty", " \n")).find("is empty"), std::string::npos);
  EXPECT_NE(told(client, write("large", std::string((1 << 20) + 1, 'I'))).find("too large"), std::string::npos);
  for (const char* content : {"secret:0:0", "IOR:secret", "IOR:00secret", "corbaloc::secret:99999/x",
                              "corbaloc:rir:/secret", "corbaname:secret:", "file:secret"}) {
    EXPECT_EQ(told(client, write("some", content)).find("secret"), std::string::npos) << content;
  }
}

}  // namespace
}  // namespace corbel::poa::testing
