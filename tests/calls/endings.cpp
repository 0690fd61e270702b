// SPDX-License-Identifier: Apache-2.0
#include "endings.hpp"

#include "corbel/base/error.hpp"

namespace corbel::calls_test {
namespace {

using base::Code;
using base::Stage;
using test::Answer;
namespace answer = test::answer;

std::function<Place()> peer(Answer what) {
  return [what] {
    Place place;
    place.peer = std::make_unique<test::FakePeer>(std::vector{what});
    return place;
  };
}

/// A reply, to be made from the request: header in the version of the request, then `octets` of body.
Answer reply_with(std::uint32_t status, std::function<void(test::Writer&)> body) {
  return answer::status(status, std::move(body));
}

Answer bare_message(std::uint8_t major, std::uint8_t minor, std::uint32_t announced) {
  test::Writer writer;
  writer.raw("GIOP").octet(major).octet(minor).octet(1).octet(test::kReply).u32(announced);
  return answer::octets(writer.written());
}

/// A whole message that has no room for what every reply begins with.
Answer half_a_header() {
  test::Writer writer;
  writer.raw("GIOP").octet(1).octet(2).octet(1).octet(test::kReply).u32(4).u32(0);
  return answer::octets(writer.written());
}

std::uint32_t minor_of(Stage stage, Code code) {
  return corba::vendor_minor(stage, code);
}

void add_resolving(std::vector<End>& all) {
  End end;
  end.where = "resolve";
  end.executed = "no";
  end.exception = "TRANSIENT";
  end.completed = "NO";
  end.then = Then::goes_on;
  end.asked = 0;
  end.how = "the profile cannot be used (unknown tag, damaged, no address)";
  end.minor = corba::minor::kNoUsableProfile;
  end.no_place = true;
  end.make = [] { return Place(); };
  all.push_back(end);
  end.how = "the profile is over a limit of this process (`-ORBMaxComponents`, `-ORBMaxObjectKey`)";
  end.exception = "INV_OBJREF";
  end.minor = minor_of(Stage::resolve, Code::key_too_long);
  end.make = [] {
    Place place;
    place.nobody.host = "127.0.0.1";
    place.nobody.port = 4000;
    place.nobody.key = std::string((64U << 10) + 1, 'k');
    return place;
  };
  all.push_back(end);
  end.exception = "TRANSIENT";
  end.no_place = false;
  end.how = "the host's name is not known";
  end.minor = minor_of(Stage::resolve, Code::unreachable);
  end.slow = true;
  end.make = [] {
    Place place;
    place.nobody.host = "no-such-host.invalid";
    place.nobody.port = 4000;
    return place;
  };
  all.push_back(end);
}

void add_connecting(std::vector<End>& all) {
  End end;
  end.where = "connect";
  end.executed = "no";
  end.completed = "NO";
  end.then = Then::goes_on;
  end.asked = 0;
  end.how = "nobody listens there, or the way there is barred";
  end.exception = "TRANSIENT";
  end.minor = minor_of(Stage::connect, Code::refused);
  end.make = [] {
    Place place;
    place.refusing = std::make_unique<test::RefusingPort>();
    return place;
  };
  all.push_back(end);
  end.how = "no connection within `-ORBConnectTimeout`";
  end.exception = "TIMEOUT";
  end.minor = minor_of(Stage::connect, Code::timed_out);
  end.slow = true;
  end.make = [] {
    Place place;
    place.silent = std::make_unique<test::SilentPort>();
    return place;
  };
  all.push_back(end);
}

void add_waiting(std::vector<End>& all) {
  End end;
  end.where = "wait";
  end.how = "the server closes in order (CloseConnection) without an answer";
  end.executed = "no";
  end.exception = "TRANSIENT";
  end.completed = "NO";
  end.minor = minor_of(Stage::wait, Code::closed);
  end.then = Then::goes_on;
  end.note = "tries the same place twice more, on new connections";
  end.asked = 3;
  end.make = peer(answer::close_connection());
  all.push_back(end);

  end = {};
  end.where = "wait";
  end.executed = "unknown";
  end.exception = "COMM_FAILURE";
  end.completed = "MAYBE";
  end.minor = minor_of(Stage::wait, Code::lost);
  const auto add = [&](const char* how, Answer what) {
    end.how = how;
    end.make = peer(std::move(what));
    all.push_back(end);
  };
  add("the connection ends without a word", answer::end());
  add("the connection is reset", answer::reset());
  add("the connection ends within the header of the answer", answer::half(answer::text("whole"), 7));
  add("the connection ends within the answer", answer::half(answer::text("whole"), 30));
  add("the server closes in order (CloseConnection) within an answer that comes in fragments",
      answer::begun_and_closed());
  end.minor = minor_of(Stage::wait, Code::protocol_error);
  add("the server answers MessageError", answer::message_error());
  end.exception = "TIMEOUT";
  end.minor = minor_of(Stage::wait, Code::timed_out);
  end.slow = true;
  end.note = "sends a CancelRequest; the answer is dropped if it comes yet";
  add("no answer within `-ORBCallTimeout`", answer::nothing());
}

void add_receiving(std::vector<End>& all) {
  End end;
  end.where = "receive";
  end.executed = "unknown";
  end.exception = "MARSHAL";
  end.completed = "MAYBE";
  const auto add = [&](const char* how, Code code, Answer what) {
    end.how = how;
    end.minor = minor_of(Stage::receive, code);
    end.make = peer(std::move(what));
    all.push_back(end);
  };
  add("what comes is no GIOP (a server of SSH, of HTTP)", Code::malformed,
      answer::garbage("SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u3\r\n"));
  add("a message of a version that this ORB does not speak", Code::unsupported, bare_message(3, 0, 12));
  add("a message that is larger than `-ORBMaxMessageSize`", Code::too_large, bare_message(1, 2, 0xfffffff0));
  add("a LocateReply that nobody asked for", Code::malformed, answer::stray(test::kLocateReply));
  add("a message that servers do not send", Code::malformed, answer::stray(test::kCancelRequest));
  add("an answer that ends within its own header", Code::malformed, half_a_header());
  add("a reply status that does not exist", Code::malformed, answer::status(6));
  add("a system exception that cannot be read", Code::malformed,
      reply_with(2, [](test::Writer& body) { body.string("IDL:omg.org/CORBA/TRANSIENT:1.0").u32(0).u32(3); }));
  end.exception = "COMM_FAILURE";
  add("the answer to a request that was never made", Code::unknown_reply, answer::stray(test::kReply, 0x7ffffff0));
}

void add_forwards(std::vector<End>& all) {
  End end;
  end.where = "forward";
  end.executed = "no";
  end.completed = "NO";
  end.then = Then::goes_on;
  end.exception = "TRANSIENT";
  end.how = "the server forwards to a nil reference, or to one without a profile that can be used";
  end.minor = corba::minor::kNoUsableProfile;
  end.make = peer(answer::forward({}));
  all.push_back(end);
  end.how = "the server forwards in a circle, more often than `-ORBForwardLimit`";
  end.minor = minor_of(Stage::wait, Code::forward_loop);
  end.asked = 11;
  end.make = [] {
    Place place;
    place.peer = std::make_unique<test::FakePeer>();
    place.peer->set({answer::forward({place.peer->profile()})});
    return place;
  };
  all.push_back(end);
  end.asked = 1;
  end.how = "the server forwards to a reference that cannot be read";
  end.exception = "INV_OBJREF";
  end.minor = minor_of(Stage::resolve, Code::malformed);
  end.make = peer(reply_with(3, [](test::Writer& body) { body.string("IDL:x:1.0").u32(1).u32(0).u32(1000).octet(1); }));
  all.push_back(end);
  end.how = "the server wants its target named otherwise (NEEDS_ADDRESSING_MODE), and again when it is";
  end.note = "asks the same place once more, with the target named so";
  end.asked = 2;
  end.exception = "NO_IMPLEMENT";
  end.minor = minor_of(Stage::dispatch, Code::unsupported);
  end.make = peer(reply_with(5, [](test::Writer& body) { body.u16(2); }));
  all.push_back(end);
}

void add_answers(std::vector<End>& all) {
  End end;
  end.where = "answer";
  end.how = "results";
  end.executed = "yes";
  end.make = peer(answer::text("results"));
  all.push_back(end);
  end.of_answer = true;
  end.how = "a user exception of the operation";
  end.exception = "Refused";
  end.make = peer(answer::user_exception("IDL:Calls/Refused:1.0"));
  all.push_back(end);
  end.how = "a user exception that the operation does not have";
  end.exception = "UNKNOWN";
  end.completed = "MAYBE";
  end.minor = corba::minor::kUnlistedUserException;
  end.make = peer(answer::user_exception("IDL:Calls/Other:1.0"));
  all.push_back(end);
  end.how = "results that cannot be decoded";
  end.exception = "MARSHAL";
  end.completed = "YES";
  end.minor = minor_of(Stage::decode, Code::truncated);
  end.make = peer(reply_with(0, [](test::Writer& body) { body.u32(100).raw("too short"); }));
  all.push_back(end);

  end = {};
  end.where = "answer";
  end.minor = 77;
  const auto add = [&](std::string name, std::uint32_t completed, Then then, std::string note = {}) {
    static const char* const kExecuted[] = {"yes", "no", "unknown"};
    static const char* const kCompleted[] = {"YES", "NO", "MAYBE"};
    end.how = name + ", COMPLETED_" + kCompleted[completed];
    end.executed = kExecuted[completed];
    end.exception = name;
    end.completed = kCompleted[completed];
    end.then = then;
    end.note = std::move(note);
    end.make = peer(answer::system_exception(name, completed, 77));
    all.push_back(end);
  };
  for (const char* name : {"TRANSIENT", "COMM_FAILURE", "NO_RESOURCES", "OBJ_ADAPTER"}) {
    add(name, 1, Then::goes_on);
    add(name, 0, Then::raises);
    add(name, 2, Then::raises);
  }
  add("OBJECT_NOT_EXIST", 1, Then::comes_home,
      "at a place that was forwarded to: asks where the reference leads again, once; else nothing");
  add("OBJECT_NOT_EXIST", 0, Then::raises);
  add("OBJECT_NOT_EXIST", 2, Then::raises);
  for (const char* name : {"NO_PERMISSION", "NO_MEMORY", "NO_RESPONSE", "BAD_TYPECODE", "TIMEOUT", "INTERNAL"}) {
    add(name, 1, Then::raises);
  }
  add("UNKNOWN", 2, Then::raises);
  for (const char* name : {"CODESET_INCOMPATIBLE", "IMP_LIMIT"}) add(name, 1, Then::raises);
}

}  // namespace

const std::vector<End>& ends() {
  static const std::vector<End> all = [] {
    std::vector<End> made;
    made.push_back(begun_after_shutdown());
    made.push_back(begun_after_destroy());
    add_governed_beginnings(made);
    add_resolving(made);
    made.push_back(timed_out_while_resolving());
    add_connecting(made);
    add_broken_connecting(made);
    add_withdrawn(made);
    made.push_back(ended_while_connecting());
    made.push_back(wide_data_without_code_sets());
    made.push_back(wide_data_without_common_code_set());
    made.push_back(wide_data_in_giop_1_0());
    add_broken_encoding(made);
    made.push_back(broken_while_sending());
    made.push_back(timed_out_while_sending());
    add_broken_sending(made);
    add_waiting(made);
    add_broken_waiting(made);
    add_governed_waiting(made);
    made.push_back(ended_by_shutdown());
    add_receiving(made);
    made.push_back(cut_for_memory());
    add_forwards(made);
    add_governed_forwards(made);
    add_answers(made);
    add_broken_decoding(made);
    add_governed_answers(made);
    return made;
  }();
  return all;
}

}  // namespace corbel::calls_test
