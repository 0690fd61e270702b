// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <new>
#include <string>
#include <string_view>

#include "corbel/base/error.hpp"
#include "corbel/corba/exception_core.hpp"
#include "corbel/corba/failure.hpp"
#include "corbel/corba/minor_codes.hpp"

namespace corbel::orb {

[[noreturn]] inline void part_failed(std::string_view kind, std::string_view name, std::string_view why) {
  std::string text(kind);
  text.append(" '").append(name).append("' failed: ").append(why);
  corba::raise("INITIALIZE", corba::vendor_minor(base::Stage::configure, base::Code::unsupported), corba::Completed::no,
               std::move(text));
}

/// What `make()` returns, which calls a part that others have written (a transport, protocol or layer, perhaps of a
/// plug-in). What that throws becomes INITIALIZE and names the part; exceptions of CORBA and std::bad_alloc stay what
/// they are.
template <class Make>
auto made_by(std::string_view kind, std::string_view name, const Make& make) -> decltype(make()) {
  try {
    return make();
  } catch (const corba::SystemExceptionCore&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& failure) {
    part_failed(kind, name, failure.what());
  } catch (...) {
    part_failed(kind, name, "nobody knows why");
  }
}

}  // namespace corbel::orb
