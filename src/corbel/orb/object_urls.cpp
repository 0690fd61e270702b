// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/object_urls.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "corbel/base/log.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/corba/references.hpp"
#include "corbel/ior/url.hpp"
#include "corbel/ipc/regular_file.hpp"
#include "corbel/orb/face.hpp"
#include "corbel/orb/orb.hpp"

namespace corbel::orb {
namespace {

using ObjectRef = CORBA::object_reference<CORBA::Object>;

constexpr std::string_view kNameService = "NameService";
constexpr std::size_t kLongestShown = 100;
constexpr std::size_t kLargestFile = 1U << 20;
constexpr unsigned kMostNames = 16;  // each an initial reference that leads to the next one

[[noreturn]] void refuse(std::uint32_t minor, std::string_view text, std::string_view why) {
  throw CORBA::BAD_PARAM(minor, CORBA::CompletionStatus::COMPLETED_NO,
                         "'" + base::printable(text, kLongestShown) + "': " + std::string(why));
}

bool has_prefix(std::string_view text, std::string_view prefix) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return text.size() >= prefix.size() &&
         std::equal(prefix.begin(), prefix.end(), text.begin(), [&](char a, char b) { return a == lower(b); });
}

ObjectRef read_ior(Core& core, std::string_view text) {
  auto ior = ior::from_string(text, core.limits());
  if (!ior) {
    const bool cut_off = ior.error().code == base::Code::truncated;
    refuse(corba::minor::kUrlOther, text,
           cut_off ? "the IOR ends too early; was all of it copied?"
                   : "malformed; IOR: is followed by an even number of hexadecimal digits that encode a reference");
  }
  return face_of(core).make_object(*std::move(ior));
}

std::uint32_t minor_of(ior::UrlFault fault) {
  switch (fault) {
    case ior::UrlFault::bad_scheme:
      return corba::minor::kUrlBadScheme;
    case ior::UrlFault::bad_address:
      return corba::minor::kUrlBadAddress;
    case ior::UrlFault::bad_specific_part:
      return corba::minor::kUrlBadSpecificPart;
    case ior::UrlFault::none:
    case ior::UrlFault::other:
      break;
  }
  return corba::minor::kUrlOther;
}

const char* why(ior::UrlFault fault) {
  switch (fault) {
    case ior::UrlFault::bad_address:
      return "malformed address; write corbaloc::host:port/key (iiop, port 1 to 65535) or corbaloc:scheme:address/key";
    case ior::UrlFault::bad_specific_part:
      return "malformed key or name; characters that a URL may not have are written %hh";
    default:
      return "malformed";
  }
}

template <class Refused>
void decode_refusal(cdr::Decoder&, const corba::ExceptionType&) {
  throw CORBA::BAD_PARAM(corba::minor::kUrlOther, CORBA::CompletionStatus::COMPLETED_NO, Refused::kText);
}
struct NotFound {
  static constexpr const char* kText = "the naming service does not know the name";
};
struct CannotProceed {
  static constexpr const char* kText = "the naming service cannot proceed with the name";
};
struct IllegalName {
  static constexpr const char* kText = "the naming service says that the name is illegal";
};
constexpr corba::ExceptionType kRefusals[] = {
    {"IDL:omg.org/CosNaming/NamingContext/NotFound:1.0", &decode_refusal<NotFound>},
    {"IDL:omg.org/CosNaming/NamingContext/CannotProceed:1.0", &decode_refusal<CannotProceed>},
    {"IDL:omg.org/CosNaming/NamingContext/InvalidName:1.0", &decode_refusal<IllegalName>},
};
constexpr corba::Operation kResolveStr{"resolve_str", false, kRefusals};

/// CosNaming::NamingContextExt::resolve_str.
ObjectRef resolve_name(CORBA::Object& context, const std::string& name) {
  ObjectRef result;
  void* const local[] = {&result, const_cast<std::string*>(&name)};
  const auto encode = [&](cdr::Encoder& encoder) { encoder.put_string(name); };
  const auto decode = [&](cdr::Decoder& decoder) { result = corba::decode_reference(decoder); };
  try {
    context._target()->invoke({kResolveStr, encode, decode, local});
  } catch (CORBA::SystemException& exception) {
    exception.detail("resolving the name '" + base::printable(name, kLongestShown) + "': " + exception.detail());
    throw;
  }
  return result;
}

/// How many names of initial references this thread is following, one inside the other.
constinit thread_local unsigned t_followed = 0;
struct Following {
  Following() noexcept { ++t_followed; }
  ~Following() { --t_followed; }
  Following(const Following&) = delete;
  Following& operator=(const Following&) = delete;
};

/// Resolves corbaloc:rir:/name. An unknown name makes the URL wrong: BAD_PARAM, as for any other URL. So do names that
/// lead to each other in a circle, as options may have them.
ObjectRef resolve_initial(Core& core, std::string_view url, const std::string& name) {
  if (t_followed >= kMostNames) refuse(corba::minor::kUrlOther, url, "initial references lead in a circle");
  const Following following;
  try {
    return face_of(core).orb()->resolve_initial_references(name);
  } catch (const CORBA::InvalidName& exception) {
    refuse(corba::minor::kUrlOther, url, exception.what());
  }
}

ObjectRef read_object_url(Core& core, std::string_view text) {
  ior::UrlFault fault = ior::UrlFault::none;
  auto url = ior::parse_object_url(text, fault);
  if (!url) refuse(minor_of(fault), text, why(fault));
  const bool initial = !url->addresses.empty() && url->addresses.front().scheme == "rir";
  if (url->object_key.empty() && (initial || url->is_name)) {
    const auto key = base::as_bytes(kNameService);
    url->object_key.assign(key.begin(), key.end());
  }
  ObjectRef object;
  if (initial) {
    object = resolve_initial(core, text, std::string(base::as_text(url->object_key)));
  } else {
    object = face_of(core).make_object(core.make_ior(*url));
  }
  if (url->string_name.empty()) return object;
  if (object == nullptr || object->_target() == nullptr) refuse(corba::minor::kUrlOther, text, "no naming service");
  return resolve_name(*object.operator->(), url->string_name);
}

/// "file:///path" or "file:path": a file that holds one reference of another form, white space around it ignored. A
/// user that may name a file need not be one that may read it, so nothing of what is in it is told.
ObjectRef read_file(Core& core, std::string_view url) {
  std::string_view path = url.substr(std::string_view("file:").size());
  if (path.starts_with("//")) path.remove_prefix(2);
  const auto [text, why] = ipc::read_regular_file(std::string(path), kLargestFile + 1);
  if (!why.empty())
    refuse(corba::minor::kUrlBadAddress, url, "the file '" + base::printable(path, kLongestShown) + "' " + why);
  if (text.size() > kLargestFile) refuse(corba::minor::kUrlOther, url, "the file is too large to be a reference");
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string::npos) refuse(corba::minor::kUrlOther, url, "the file is empty");
  const std::size_t end = text.find_last_not_of(kSpace) + 1;
  const std::string_view content = std::string_view(text).substr(begin, end - begin);
  if (has_prefix(content, "file:")) refuse(corba::minor::kUrlOther, url, "the file names another file");
  if (!has_prefix(content, "ior:") && !has_prefix(content, "corba")) {
    refuse(corba::minor::kUrlOther, url, "the file holds no reference: that begins with IOR:, corbaloc: or corbaname:");
  }
  try {
    return read_reference(core, content);
  } catch (const CORBA::BAD_PARAM& exception) {
    refuse(exception.minor(), url, "the reference in the file is malformed, or cannot be used here");
  }
}

}  // namespace

ObjectRef read_reference(Core& core, std::string_view text) {
  if (has_prefix(text, "ior:")) return read_ior(core, text);
  if (has_prefix(text, "corbaloc:") || has_prefix(text, "corbaname:")) return read_object_url(core, text);
  if (has_prefix(text, "file:")) return read_file(core, text);
  refuse(corba::minor::kUrlBadScheme, text, "a reference begins with IOR:, corbaloc:, corbaname: or file:");
}

}  // namespace corbel::orb
