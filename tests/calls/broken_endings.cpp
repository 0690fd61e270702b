// SPDX-License-Identifier: Apache-2.0
// Calls that end because of what a carrier says, or because arguments or results cannot be marshalled: each code that
// docs/errors.md has for them.
#include "corbel/transport/faulty/faulty.hpp"
#include "diverted.hpp"
#include "endings.hpp"

namespace corbel::calls_test {
namespace {

using base::Code;
using base::Stage;
using test::FakePeer;
using transport::faulty::Plan;
using transport::faulty::Script;
using transport::faulty::Side;
namespace answer = test::answer;

/// What begins every row here; the minor code is Corbel's own.
End row(Stage stage, Code code, std::string how, const char* executed, const char* exception, const char* completed) {
  End end;
  end.where = base::to_string(stage);
  end.how = std::move(how);
  end.executed = executed;
  end.exception = exception;
  end.completed = completed;
  end.minor = corba::vendor_minor(stage, code);
  return end;
}

/// The first of two places cannot be connected to.
Ending fails_to_connect(base::Error error) {
  FakePeer barred({answer::text("barred")});
  FakePeer open({answer::text("open")});
  const auto connect = [&, there = barred.endpoint()](auto& inner, const auto& endpoint, const auto& options,
                                                      base::Deadline deadline) {
    using Made = base::Result<std::unique_ptr<transport::Transport>>;
    return endpoint.text() == there ? Made(error) : inner.connect(endpoint, options, deadline);
  };
  const PlainClient client({std::make_shared<Diverted>(connect)});
  EXPECT_EQ(client.thing({barred.profile(), open.profile()})->ask(""), "open");
  EXPECT_EQ(client.thing({barred.profile(), open.profile()})->async_ask("").get(), "open");
  client.thing({barred.profile(), open.profile()})->note(1);
  EXPECT_TRUE(open.wait_for_messages(3));
  const auto thing = client.thing({barred.profile()});
  const Ending ending = ending_of([&] { thing->ask(""); });
  EXPECT_EQ(ending_of([&] { thing->async_ask("").get(); }).what, ending.what);
  EXPECT_EQ(ending_of([&] { thing->note(1); }).what, ending.what);
  EXPECT_EQ(barred.connections(), 0U);
  return ending;
}

End cannot_connect(Stage stage, Code code, std::string how, const char* exception) {
  End end = row(stage, code, std::move(how), "no", exception, "NO");
  end.then = Then::goes_on;
  end.run = [error = base::error(stage, code)] { return fails_to_connect(error); };
  return end;
}

/// The connection ends so, when so much of the conversation is over. `second`: what comes of it if there is another
/// place.
Ending ends_while_calling(const Script& script, bool goes_on) {
  const auto plan = std::make_shared<Plan>();
  const PlainClient client({transport::make_faulty(transport::make_tcp(), plan)});
  FakePeer one({answer::text("one")});
  FakePeer two({answer::text("two")});
  plan->set(Side::connecting, script);
  const Ending ending = ending_of([&] { client.thing({one.profile()})->ask(""); });
  const unsigned before = plan->conversations(Side::connecting);
  const auto both = ending_of([&] { client.thing({one.profile("other"), two.profile()})->ask(""); });
  EXPECT_EQ(both.what, ending.what);
  EXPECT_EQ(plan->conversations(Side::connecting), before + (goes_on ? 2 : 1));
  return ending;
}

End breaks_while_sending(Code code, std::string how, const char* exception) {
  End end = row(Stage::send, code, std::move(how), "no", exception, "NO");
  end.then = Then::goes_on;
  end.run = [code] {
    Script script;
    script.cut_sent = 40;
    script.cut_as = code;
    return ends_while_calling(script, true);
  };
  return end;
}

/// One call whose arguments and results are marshalled so; the reference has another place, which is not asked.
Ending marshalled(base::FunctionRef<void(cdr::Encoder&)> encode, base::FunctionRef<void(cdr::Decoder&)> decode,
                  unsigned asked) {
  FakePeer one({answer::done()});
  FakePeer two({answer::done()});
  const Client client;
  const auto thing = client.thing({one.profile(), two.profile()});
  static constexpr corba::Operation kOperation{"act"};
  const Ending ending = ending_of([&] { thing->_target()->invoke({kOperation, encode, decode, nullptr}); });
  EXPECT_EQ(one.requests(), asked);
  EXPECT_EQ(two.requests(), 0U);
  EXPECT_EQ(ending_of([&] { thing->act(); }).what, "done");  // no other call is spoilt
  EXPECT_EQ(one.connections(), 1U);
  return ending;
}

End cannot_encode(Code code, std::string how, const char* exception, std::uint32_t minor = 0) {
  End end = row(Stage::encode, code, std::move(how), "no", exception, "NO");
  if (minor != 0) end.minor = minor;
  end.run = [code] {
    const auto encode = [code](cdr::Encoder& encoder) { encoder.fail(code); };
    const auto decode = [](cdr::Decoder&) {};
    return marshalled(encode, decode, 0);
  };
  return end;
}

End cannot_decode(Code code, std::string how, const char* exception, std::uint32_t minor = 0) {
  End end = row(Stage::decode, code, std::move(how), "yes", exception, "YES");
  if (minor != 0) end.minor = minor;
  end.where = "answer";
  end.run = [code] {
    const auto encode = [](cdr::Encoder&) {};
    const auto decode = [code](cdr::Decoder& decoder) { decoder.fail(code); };
    return marshalled(encode, decode, 1);
  };
  return end;
}

/// An asynchronous call for whose arguments, or results, there is no memory.
class Hungry final : public corba::AsyncCall {
 public:
  Hungry(const corba::Operation& operation, bool arguments) : AsyncCall(operation), arguments_(arguments) {}
  void encode_arguments(cdr::Encoder&) override {
    if (arguments_) throw std::bad_alloc();
  }
  void decode_results(cdr::Decoder&) override { throw std::bad_alloc(); }
  void* const* local_arguments() noexcept override { return nullptr; }
  void complete(std::exception_ptr failure) noexcept override { failure_ = std::move(failure); }
  /// After wait().
  void outcome() const { std::rethrow_exception(failure_); }

 private:
  const bool arguments_;
  std::exception_ptr failure_;
};

Ending hungry_ending(const corba::TargetPtr& target, bool arguments) {
  static constexpr corba::Operation kOperation{"act"};
  return ending_of([&] {
    const base::IntrusivePtr<Hungry> call(new Hungry(kOperation, arguments));
    target->invoke_async(*call);
    call->wait();
    call->outcome();
  });
}

End without_memory(Stage stage, std::string how) {
  End end = row(stage, Code::out_of_resources, std::move(how), stage == Stage::encode ? "no" : "yes", "NO_MEMORY",
                stage == Stage::encode ? "NO" : "YES");
  end.where = stage == Stage::encode ? "encode" : "answer";
  end.run = [stage] {
    const auto encode = [stage](cdr::Encoder&) {
      if (stage == Stage::encode) throw std::bad_alloc();
    };
    const auto decode = [](cdr::Decoder&) { throw std::bad_alloc(); };
    const Ending ending = marshalled(encode, decode, stage == Stage::encode ? 0 : 1);
    FakePeer peer({answer::done()});
    const Client client;
    const auto thing = client.thing({peer.profile()});
    EXPECT_EQ(hungry_ending(thing->_target(), stage == Stage::encode).what, ending.what);
    EXPECT_EQ(ending_of([&] { thing->act(); }).what, "done");
    return ending;
  };
  return end;
}

}  // namespace

void add_broken_connecting(std::vector<End>& all) {
  const auto add = [&](Code code, const char* how, const char* exception = "NO_PERMISSION") {
    all.push_back(cannot_connect(Stage::connect, code, how, exception));
  };
  add(Code::out_of_resources, "this process has no descriptors or no memory left", "NO_RESOURCES");
  add(Code::certificate_expired, "TLS: the server's certificate has expired");
  add(Code::certificate_not_yet_valid, "TLS: it is not valid yet");
  add(Code::certificate_name, "TLS: it is made out to another name");
  add(Code::certificate_authority, "TLS: it is issued by an authority that this side does not know");
  add(Code::certificate_revoked, "TLS: it has been revoked");
  add(Code::certificate_purpose, "TLS: it is not for servers");
  add(Code::certificate_weak, "TLS: its key or signature is too weak");
  add(Code::certificate_invalid, "TLS: it is wrong in another way");
  add(Code::certificate_missing, "TLS: the server has shown none");
  add(Code::certificate_refused, "TLS: the server refuses this side's certificate, or misses one (TLS 1.2)");
  add(Code::revocation_unknown, "TLS: no current list says whether it is revoked");
  add(Code::no_common_security, "TLS: the two sides share no version or cipher");
  add(Code::not_secure, "TLS: what listens there does not speak it");
  add(Code::bad_security_settings, "TLS: this side's own certificate, key or authorities cannot be used");
}

void add_broken_encoding(std::vector<End>& all) {
  all.push_back(cannot_encode(Code::bad_character, "a character that the connection's code set cannot express",
                              "DATA_CONVERSION", corba::minor::kCharacterNotInCodeSet));
  all.push_back(
      cannot_encode(Code::bad_enum, "an enumerator that does not exist", "BAD_PARAM", corba::minor::kEnumOutOfRange));
  all.push_back(cannot_encode(Code::bad_bound, "a bounded string or sequence that is too long", "BAD_PARAM"));
  all.push_back(cannot_encode(Code::bad_string, "a string with a NUL in it", "BAD_PARAM"));
  all.push_back(
      cannot_encode(Code::bad_discriminator, "a union whose discriminator selects nothing legal", "BAD_PARAM"));
  all.push_back(cannot_encode(Code::bad_argument, "a local object, or what else is not to leave the process", "MARSHAL",
                              corba::minor::kLocalObjectMarshalled));
  all.push_back(cannot_encode(Code::too_large,
                              "a request that is larger than the protocol, or a message of the transport, can be",
                              "IMP_LIMIT"));
  all.push_back(cannot_encode(
      Code::unsupported, "an operation with results, where the protocol or a group takes oneways only", "IMP_LIMIT"));
  all.push_back(without_memory(Stage::encode, "the system gives no memory for the arguments"));
  all.push_back(cannot_encode(Code::too_deep, "anything else that makes arguments unfit to be sent", "MARSHAL"));
}

void add_broken_sending(std::vector<End>& all) {
  all.push_back(breaks_while_sending(Code::out_of_resources,
                                     "this process has no memory left for what is under way, or too many "
                                     "asynchronous calls wait on the connection",
                                     "NO_RESOURCES"));
  all.push_back(breaks_while_sending(Code::protocol_error,
                                     "the server refuses the request before it is whole (MessageError): it is larger "
                                     "than the server takes",
                                     "IMP_LIMIT"));
  all.push_back(breaks_while_sending(
      Code::certificate_refused,
      "TLS 1.3: the server refuses this side's certificate, which is learnt with the first request", "NO_PERMISSION"));
}

void add_broken_waiting(std::vector<End>& all) {
  End end = row(Stage::wait, Code::certificate_refused, "TLS 1.3: the same, when the first request had left", "no",
                "NO_PERMISSION", "NO");
  end.where = "wait";
  end.then = Then::goes_on;
  end.run = [] {
    Script script;
    script.cut_received = 1;
    script.cut_as = Code::certificate_refused;
    return ends_while_calling(script, true);
  };
  all.push_back(end);
}

void add_broken_decoding(std::vector<End>& all) {
  all.push_back(cannot_decode(Code::bad_character, "results with a character that the code set does not have",
                              "DATA_CONVERSION", corba::minor::kCharacterNotInCodeSet));
  all.push_back(cannot_decode(Code::wide_data, "results with wide characters, of which the connection has no code set",
                              "BAD_PARAM", corba::minor::kWideDataWithoutCodeSet));
  all.push_back(cannot_decode(Code::not_found, "results with a valuetype for which there is no factory", "MARSHAL",
                              corba::minor::kNoValueFactory));
  all.push_back(cannot_decode(Code::no_value_memory, "results that take more memory than `-ORBMaxInputMemory` leaves",
                              "NO_RESOURCES"));
  all.push_back(without_memory(Stage::decode, "the system gives no memory for the results"));
}

End timed_out_while_resolving() {
  End end =
      cannot_connect(Stage::resolve, Code::timed_out,
                     "the name server is silent for `-ORBConnectTimeout`, or for the time of the call", "TIMEOUT");
  return end;
}

}  // namespace corbel::calls_test
