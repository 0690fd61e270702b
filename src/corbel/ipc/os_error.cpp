// SPDX-License-Identifier: Apache-2.0
#include "corbel/ipc/os_error.hpp"

namespace corbel::ipc {
namespace {

using base::Code;
using base::Stage;

bool is_established(Stage stage) noexcept {
  return stage == Stage::send || stage == Stage::receive || stage == Stage::wait;
}

}  // namespace

Code code_of(int os_error, Stage stage) noexcept {
  if (os_error == EAGAIN || os_error == EWOULDBLOCK) return Code::would_block;
  switch (os_error) {
    case EINPROGRESS:
    case EALREADY:
    case EINTR:  // only from interruptible operations; all others start again
      return Code::would_block;
    case ECONNREFUSED:
    case EACCES:
    case EPERM:
      return is_established(stage) ? Code::lost : Code::refused;
    case ETIMEDOUT:
      return is_established(stage) ? Code::lost : Code::timed_out;
    case EHOSTUNREACH:
    case ENETUNREACH:
    case EHOSTDOWN:
    case ENETDOWN:
    case ENONET:
      return is_established(stage) ? Code::lost : Code::unreachable;
    case EADDRNOTAVAIL:
    case ENOENT:
    case ENOTDIR:
    case ENODEV:
    case ELOOP:
      return Code::unreachable;
    case EPIPE:
    case ECONNRESET:
    case ECONNABORTED:
    case ENOTCONN:
    case ESHUTDOWN:
    case ENETRESET:
    case EPROTO:
    case EIO:
      return Code::lost;
    case EMFILE:
    case ENFILE:
    case ENOBUFS:
    case ENOMEM:
    case ENOSPC:
      return Code::out_of_resources;
    case EADDRINUSE:
      return Code::address_in_use;
    case EMSGSIZE:
    case ENAMETOOLONG:
      return Code::too_large;
    case EAFNOSUPPORT:
    case EPROTONOSUPPORT:
    case EPROTOTYPE:
    case ESOCKTNOSUPPORT:
    case ENOPROTOOPT:
    case EOPNOTSUPP:
      return Code::unsupported;
    case EINVAL:  // accept(2) after shutdown(2)
      return stage == Stage::accept ? Code::cancelled : Code::bad_argument;
    case EBADF:
    case ENOTSOCK:
    case EFAULT:
    case EDOM:
    case EISCONN:
      return Code::bad_argument;
    case ECANCELED:
      return Code::cancelled;
    default:
      return Code::other;
  }
}

}  // namespace corbel::ipc
