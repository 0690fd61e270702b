// SPDX-License-Identifier: Apache-2.0
// Conversations as JSON lines: what `corbel record` writes, and `corbel replay` and `corbel mock` read. One exchange a
// line:
//
//   {"operation": "divide", "interface": "M::I", "arguments": {"a": 1, "b": 2}, "result": {"result": 0, "rest": 1}}
//
// "result" holds what came back: the operation's result as "result", out arguments by name. Instead of it there may be
// "exception" with "members", or {"exception": "CORBA::TRANSIENT", "members": {"minor": 2, "completed":
// "COMPLETED_NO"}}. "object" is the object's key in base64, "oneway" true where nothing comes back, "ms" how long it
// took, "time" when the request was seen. Where arguments or what came back could not be read, "no_arguments" or
// "no_result" says why.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "json_values.hpp"

namespace corbel::tool {

struct Exchange {
  std::string operation;  ///< as on the wire: "_get_count"
  std::string interface = {};
  std::string object = {};  ///< empty: any
  bool oneway = false;
  std::optional<Json> arguments = {};  ///< none: any, unless `no_arguments` says otherwise
  std::optional<Json> result = {};
  std::string no_arguments = {};  ///< why the arguments of a call are not known; empty: they are, or do not matter
  std::string no_result = {};     ///< why it is not known what came back
  std::string exception = {};
  Json members = {};
  double milliseconds = 0;
  double time = 0;  ///< seconds since 1970
  std::size_t line = 0;

  /// True if it says how the call ends.
  bool answers() const { return no_result.empty() && (result || !exception.empty() || oneway); }
  /// What came back, to be compared.
  Json outcome() const;
};

struct Recording {
  std::string reference = {};  ///< of the server that was recorded; empty if not known
  std::vector<Exchange> exchanges;
  std::vector<std::string> unread = {};  ///< "line 3: ...": lines that are no exchanges, and why
};

/// Reads JSON lines, or one array of such objects. Lines that are no exchanges are left out. Throws std::runtime_error
/// if there is nothing else, or the file is no recording of a version that is known.
Recording read_recording(const std::string& path);

/// An exchange as a line.
Json to_json(const Exchange& exchange);
/// The first line.
Json recording_head(const std::string& reference);

/// The key of a reference's object in base64; empty if `text` is none.
std::string key_of(const std::string& text);

/// What an operation is by IDL, with the types it needs.
struct Signature {
  struct Parameter {
    std::string name;
    CORBA::typecode_reference type;
    idl::model::Direction direction;
  };
  std::vector<Parameter> parameters;
  CORBA::typecode_reference result;
  std::vector<const idl::model::Exception*> raises;
  bool oneway = false;
};
/// By the name on the wire. `interface` may be empty: then it is looked for everywhere. Throws std::runtime_error.
Signature find_signature(Types& types, const std::string& interface, const std::string& operation);

}  // namespace corbel::tool
