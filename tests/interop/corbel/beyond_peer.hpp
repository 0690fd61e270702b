// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "../options.hpp"

namespace interop {

inline const std::map<std::string, std::string> kBeyondJacorb = {
    {"echo_bounded_wstring", "JacORB reads bounded wide strings as narrow ones"},
    {"constants", "JacORB makes infinity of kDouble"},
    {"echo_long_union", "JacORB forgets which value selected the default member"},
    {"echo_char_union", "JacORB forgets which value selected the default member"},
    {"echo_union_seq", "JacORB forgets which value selected the default member"},
    {"echo_short_union", "JacORB cannot compile the label 65535 of an unsigned short"},
    {"echo_wide_union", "JacORB refuses labels beyond 32 bits"},
    {"location_forward", "JacORB answers a ForwardRequest of a servant manager with nothing"},
};

inline const std::map<std::string, std::string> kBeyondGlassfish = {
    {"echo_short_union", "GlassFish's compiler makes Java that does not compile of the label 65535"},
    {"echo_wide_union", "GlassFish's compiler makes Java that does not compile of discriminators of 64 bits"},
};

inline const std::map<std::string, std::string> kBeyondOmniorbpy = {
    {"echo_wchar", "omniORBpy cannot read a wchar"},
    {"echo_wchar_seq", "omniORBpy cannot read a wchar"},
    {"echo_wides", "omniORBpy cannot read a wchar"},
    {"echo_wide_union", "omniORBpy cannot read a wchar"},
    {"echo_ulonglong_seq", "omniORBpy cannot put numbers beyond 63 bits into sequences"},
};

/// The checks that the peer cannot pass, by name, and why.
inline std::map<std::string, std::string> beyond_peer(const Options& options) {
  if (options.peer == "jacorb") {
    auto beyond = kBeyondJacorb;
    if (options.char_set == "ISO-8859-1") {
      for (const char* name : {"code_set_latin1", "code_set_beyond"}) {
        beyond[name] = "JacORB's server answers in its own code set where UTF-8 was agreed on";
      }
    }
    if (options.spoken_minor == 1) beyond["echo_wides"] = "JacORB reads a wchar of GIOP 1.1 without aligning it";
    return beyond;
  }
  if (options.peer == "glassfish") {
    auto beyond = kBeyondGlassfish;
    if (options.spoken_minor == 0) {
      for (const char* name : {"echo_record", "echo_record_seq", "echo_nested"}) {
        beyond[name] = "GlassFish answers this struct with UNKNOWN in GIOP 1.0";
      }
    }
    return beyond;
  }
  if (options.peer != "omniorbpy") return {};
  auto beyond = kBeyondOmniorbpy;
  if (options.spoken_minor == 1) {
    for (const char* name : {"echo_longlong_seq", "echo_double_seq"}) {
      beyond[name] = "omniORBpy aligns each element anew in fragments, omniORB does not: they cannot be told apart";
    }
  }
  return beyond;
}

}  // namespace interop
