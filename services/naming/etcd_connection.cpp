// SPDX-License-Identifier: Apache-2.0
#include "etcd_connection.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace corbel::naming {
namespace {

/// More than any answer to a question of ours.
constexpr std::size_t kMostOctets = 64U << 20;

using Headers = std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)>;

void append(Headers& headers, const std::string& line) {
  curl_slist* const longer = curl_slist_append(headers.get(), line.c_str());
  if (longer == nullptr) throw std::bad_alloc();
  if (headers == nullptr) headers.reset(longer);
}

/// With TLS 1.3 a member says what it thinks of our certificate after the handshake has ended for us. It looks at it
/// in the handshake only, so that it has not heard the request.
bool speaks_of_certificates(std::string_view why) {
  return why.find("alert") != std::string_view::npos &&
         (why.find("certificate") != std::string_view::npos || why.find("unknown ca") != std::string_view::npos);
}

bool is_untrusted(CURLcode result, std::string_view why) {
  switch (result) {
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
      return true;
    default:
      return speaks_of_certificates(why);
  }
}

}  // namespace

struct EtcdConnection::Handle {
  Handle() : curl(curl_easy_init(), &curl_easy_cleanup) {
    if (curl == nullptr) throw std::bad_alloc();
  }
  template <class Value>
  void set(CURLoption option, Value value) {
    curl_easy_setopt(curl.get(), option, value);
  }
  static std::size_t give(char* to, std::size_t size, std::size_t count, void* self) {
    auto& body = static_cast<Handle*>(self)->unsent;
    const std::size_t part = std::min(size * count, body.size());
    std::memcpy(to, body.data(), part);
    body.remove_prefix(part);
    return part;
  }
  static std::size_t take(const char* from, std::size_t size, std::size_t count, void* self) {
    auto& answer = static_cast<Handle*>(self)->answer;
    if (answer.size() + size * count > kMostOctets) return 0;
    answer.append(from, size * count);
    return size * count;
  }

  std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> curl;
  std::string_view unsent;
  std::string answer;
  std::array<char, CURL_ERROR_SIZE> why{};
};

EtcdConnection::EtcdConnection(const EtcdSecurity& security) {
  static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (ready != CURLE_OK) throw std::runtime_error("libcurl is of no use");
  handle_ = std::make_unique<Handle>();
  Handle& handle = *handle_;
  handle.set(CURLOPT_NOSIGNAL, 1L);
  handle.set(CURLOPT_TCP_NODELAY, 1L);
  handle.set(CURLOPT_PROXY, "");
  handle.set(CURLOPT_POST, 1L);
  handle.set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);
  // Read by a function that cannot begin again, so that libcurl does not send it twice when a connection that was
  // kept turns out to be dead: nobody would know then what the first one has done.
  handle.set(CURLOPT_READFUNCTION, &Handle::give);
  handle.set(CURLOPT_READDATA, &handle);
  handle.set(CURLOPT_WRITEFUNCTION, &Handle::take);
  handle.set(CURLOPT_WRITEDATA, &handle);
  handle.set(CURLOPT_ERRORBUFFER, handle.why.data());
  handle.set(CURLOPT_SSL_VERIFYPEER, 1L);
  handle.set(CURLOPT_SSL_VERIFYHOST, 2L);
  handle.set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2);
  if (!security.authorities.empty()) {
    handle.set(CURLOPT_CAINFO, security.authorities.c_str());
    handle.set(CURLOPT_CAPATH, nullptr);  // else the system's authorities count beside it
  }
  if (!security.certificate.empty()) {
    handle.set(CURLOPT_SSLCERT, security.certificate.c_str());
    handle.set(CURLOPT_SSLKEY, (security.key.empty() ? security.certificate : security.key).c_str());
    handle.set(CURLOPT_KEYPASSWD, "");  // a key that is locked is refused; nobody is there to be asked
  }
}

EtcdConnection::~EtcdConnection() = default;

HttpAnswer EtcdConnection::post(const HttpRequest& request) {
  Handle& handle = *handle_;
  Headers headers(nullptr, &curl_slist_free_all);
  append(headers, "Content-Type: application/json");
  append(headers, "Expect:");
  if (!request.token.empty()) append(headers, "Authorization: " + request.token);
  handle.unsent = request.body;
  handle.answer.clear();
  handle.why[0] = '\0';
  handle.set(CURLOPT_HTTPHEADER, headers.get());
  handle.set(CURLOPT_URL, request.url.c_str());
  handle.set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
  handle.set(CURLOPT_TIMEOUT_MS, static_cast<long>(request.patience.count()));
  handle.set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(request.connect_patience.count()));
  const CURLcode result = curl_easy_perform(handle.curl.get());
  handle.set(CURLOPT_HTTPHEADER, nullptr);
  HttpAnswer answer;
  long sent = 0;
  curl_easy_getinfo(handle.curl.get(), CURLINFO_RESPONSE_CODE, &answer.status);
  curl_easy_getinfo(handle.curl.get(), CURLINFO_REQUEST_SIZE, &sent);
  answer.sent = sent != 0;
  if (result != CURLE_OK) {
    answer.why = handle.why[0] != '\0' ? handle.why.data() : curl_easy_strerror(result);
    answer.failure = HttpAnswer::Failure::broken_off;
    if (is_untrusted(result, answer.why)) {
      answer.failure = HttpAnswer::Failure::untrusted;
      answer.sent = false;
    }
    return answer;
  }
  answer.body = std::move(handle.answer);
  handle.answer = {};
  return answer;
}

}  // namespace corbel::naming
