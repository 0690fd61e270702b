// SPDX-License-Identifier: Apache-2.0
// What is wrong with a place that is reached by TLS: asked through the ORB's own transport, whose log says why.
#include <array>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <utility>

#include "command.hpp"
#include "corbel/base/log.hpp"
#include "corbel/builtins/builtins.hpp"
#include "corbel/cdr/encapsulation.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/ior/profile.hpp"
#include "doctor.hpp"

namespace corbel::tool {
namespace {

using base::Code;
using Level = Finding::Level;

/// Keeps what the transport says of a hand-shake that failed. Called by the log's own thread.
class Refusals final : public base::LogSink {
 public:
  void write(const base::LogRecord& record) override {
    if (record.event != "TLS refused") return;
    std::array<char, base::kLongestLogLine> line{};
    const std::string_view text(line.data(), base::format_log_text(record, false, line));
    const std::size_t at = text.find("why=");
    const std::lock_guard lock(mutex_);
    said_ = at == std::string_view::npos ? std::string(text) : std::string(text.substr(at));
    if (const std::size_t end = said_.find(" orb="); end != std::string::npos) said_.resize(end);
  }
  std::string said() const {
    const std::lock_guard lock(mutex_);
    return said_;
  }

 private:
  mutable std::mutex mutex_;
  std::string said_;
};

/// A reference that leads to the place by TLS and by nothing else.
std::string reference_to(const Place& place) {
  constexpr std::uint16_t kSupported = 0x7e;  // all that TLS can do
  constexpr std::uint16_t kRequired = 6;      // integrity, confidentiality
  const auto body = cdr::encapsulate([&](cdr::Encoder& encoder) {
    encoder.put(kSupported);
    encoder.put(kRequired);
    encoder.put(place.port);
  });
  ior::IiopProfile profile;
  profile.version = place.version;
  profile.host = place.host;
  profile.object_key = place.key;
  profile.components.push_back({static_cast<std::uint32_t>(ior::ComponentTag::ssl_sec_trans), *body});
  ior::Ior whole;
  whole.profiles.push_back(ior::encode_profile(profile));
  return ior::to_string(whole);
}

struct Diagnosis {
  Code code;
  const char* text;
  const char* advice;
};

constexpr std::array kDiagnoses = {
    Diagnosis{Code::certificate_expired, "shows a certificate that has expired",
              "renew the server's certificate; if it is not that old, look at the clocks of both hosts"},
    Diagnosis{Code::certificate_not_yet_valid, "shows a certificate that is not valid yet",
              "look at the clocks of both hosts; if they are right, wait, or have the certificate issued anew"},
    Diagnosis{
        Code::certificate_name, "shows a certificate that is made out to another name",
        "have it issued with the reference's host among its alternative names (DNS: or IP:), publish the name that "
        "it has (-ORBPublishHost), or say which one to expect: CORBEL_TLS_SERVER_NAMES"},
    Diagnosis{Code::certificate_authority, "shows a certificate of an authority that is not believed here",
              "CORBEL_TLS_AUTHORITIES=FILE says who is believed; or the server's file lacks an issuer in between"},
    Diagnosis{Code::certificate_revoked, "shows a certificate that its authority has taken back",
              "the server needs a new one"},
    Diagnosis{Code::certificate_purpose, "shows a certificate that is not for servers",
              "have it issued with serverAuth in its extended key usage, or without any"},
    Diagnosis{Code::certificate_weak, "shows a certificate whose key or signature is too weak",
              "have it issued with a key of 2,048 bits of RSA or an elliptic curve, and not with SHA-1"},
    Diagnosis{Code::certificate_missing, "shows no certificate", "give the server one: -ORBTlsCertificate"},
    Diagnosis{Code::certificate_invalid, "shows a certificate that is no good", "`openssl verify` may say more"},
    Diagnosis{Code::revocation_unknown, "shows a certificate of which no current list says whether it was taken back",
              "renew the lists in CORBEL_TLS_REVOCATIONS: one of each authority in between, none too old"},
    Diagnosis{Code::no_common_security, "has no version of TLS or no cipher in common with this side",
              "look at -ORBTlsMinimumVersion and -ORBTlsCiphers of the server, CORBEL_TLS_MINIMUM_VERSION and "
              "CORBEL_TLS_CIPHERS here"},
    Diagnosis{Code::bad_security_settings, "cannot be spoken to with this side's own settings",
              "look at the files that CORBEL_TLS_CERTIFICATE, CORBEL_TLS_KEY, CORBEL_TLS_AUTHORITIES and "
              "CORBEL_TLS_REVOCATIONS name"},
};

bool is_set(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

Finding refused(Code code, const std::string& where, const std::string& why) {
  const std::string because = why.empty() ? std::string() : " (" + why + ")";
  if (code == Code::certificate_refused) {
    return is_set("CORBEL_TLS_CERTIFICATE")
               ? Finding{Level::problem, where, "refuses the certificate of this side" + because,
                         "its log says why: it may not know the authority (-ORBTlsAuthorities there), or not want this "
                         "name (-ORBTlsClientNames)"}
               : Finding{Level::problem, where, "wants a client's certificate, and was shown none" + because,
                         "CORBEL_TLS_CERTIFICATE=FILE (and CORBEL_TLS_KEY) names one that its authorities issued"};
  }
  for (const Diagnosis& each : kDiagnoses) {
    if (each.code == code) return {Level::problem, where, each.text + because, each.advice};
  }
  return {Level::problem, where, "refuses TLS: " + std::string(base::to_string(code)) + because, "docs/tls.md"};
}

/// The code in a minor code of Corbel's own, whatever the stage is.
Code code_of(std::uint32_t minor) {
  constexpr std::uint32_t kCode = 0x7f;
  const bool own = (minor & 0xfffff000U) == corba::kCorbelVmcid;
  return own ? static_cast<Code>(minor & kCode) : Code::other;
}

/// Of a place with which the hand-shake came to no end: it may be a plain server, or something else.
Finding not_secure(Place place, const std::string& said, const std::string& why, std::chrono::milliseconds timeout) {
  const std::string where = place.text();
  place.kind = Place::Kind::tcp;
  std::vector<Finding> plainly;
  std::optional<ior::Ior> forward;
  if (probe(place, timeout, plainly, forward) >= Reached::server) {
    return {Level::problem, where, "is a CORBA server without TLS, where the reference promises TLS",
            "have the server listen at ssliop://, or get a new reference: another server may have the port now"};
  }
  const std::string because = why.empty() ? std::string() : " (" + why + ")";
  constexpr std::string_view kForeign = "is no CORBA server";
  for (const Finding& each : plainly) {
    if (each.text.starts_with(kForeign)) {
      return {Level::problem, where, "does not speak TLS and " + each.text + because, each.advice};
    }
  }
  return {Level::problem, where, "does not end the hand-shake of TLS: " + said + because,
          "look which program has the port (ss -ltnp on that host), and whether it hangs"};
}

}  // namespace

Reached ask_by_tls(const Place& place, std::chrono::milliseconds timeout, std::vector<Finding>& findings) {
  const std::string where = place.text();
  const auto refusals = std::make_shared<Refusals>();
  auto components = builtins::components();
  components.log_sink = refusals;
  const std::string limit = std::to_string(timeout.count());
  std::array<std::string, 7> words = {"doctor", "-ORBCallTimeout", limit,    "-ORBConnectTimeout",
                                      limit,    "-ORBLogLevel",    "warning"};
  std::array<char*, words.size() + 1> line{};
  for (std::size_t i = 0; i < words.size(); ++i) line[i] = words[i].data();
  int count = static_cast<int>(words.size());
  const auto orb = CORBA::ORB_init(count, line.data(), "doctor-tls", components);
  Finding found;
  Reached reached = Reached::silence;
  std::optional<std::uint32_t> minor;  // of what the ORB said itself
  std::string said;
  const auto begin = std::chrono::steady_clock::now();
  try {
    const bool gone = orb->string_to_object(reference_to(place))->_non_existent();
    found = {Level::good, where, gone ? "speaks TLS and does not know the object" : "speaks TLS and knows the object",
             ""};
    reached = gone ? Reached::server : Reached::object;
  } catch (const CORBA::OBJECT_NOT_EXIST&) {
    found = {Level::problem, where, "speaks TLS, is a CORBA server, and does not know the object",
             is_transient_key(place.key) ? "the object ended with its server, or was deactivated: get a new reference"
                                         : "the object was deactivated, or another server has the address now"};
    reached = Reached::server;
  } catch (const CORBA::SystemException& exception) {
    minor = exception.minor();
    said = base::printable(exception.what());
  }
  orb->destroy();  // the log is written then
  if (minor) {
    const Code code = code_of(*minor);
    if (*minor == corba::minor::kNoUsableProfile) {
      found = {Level::problem, where, "can be reached by TLS alone, which this command was built without",
               "have the server listen without TLS, too, or use a `corbel` that was built with OpenSSL"};
      reached = Reached::nothing;
    } else if (code >= Code::certificate_expired && code <= Code::bad_security_settings && code != Code::not_secure) {
      found = refused(code, where, refusals->said());
    } else {
      found = not_secure(place, said, refusals->said(), timeout);
    }
  }
  found.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  findings.push_back(std::move(found));
  return reached;
}

}  // namespace corbel::tool
