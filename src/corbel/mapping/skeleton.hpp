// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tuple>

#include "corbel/base/kept_memory.hpp"
#include "corbel/base/probe.hpp"
#include "corbel/mapping/codec.hpp"
#include "corbel/mapping/operation_table.hpp"
#include "corbel/mapping/stub.hpp"

/// What generated skeletons call.
namespace corbel::mapping {

namespace detail {

/// An argument in storage that the thread keeps from call to call.
template <class T>
class Lent {
 public:
  Lent() noexcept : kept_(base::KeptValue<T>::here()), value_(kept_.take()) {}
  ~Lent() { kept_.give(std::move(value_)); }
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;
  operator T&() noexcept { return value_; }

 private:
  base::KeptValue<T>& kept_;
  T value_;
};

/// True for what is one piece of memory and is decoded into whatever it was before.
template <class T>
inline constexpr bool kLends = std::is_same_v<T, std::string>;
template <class T>
inline constexpr bool kLends<std::vector<T>> = BulkPrimitive<T> || Bulk<T>;

template <class P>
struct Parameter;
template <class T>
struct Parameter<In<T>> {
  using Value = std::conditional_t<kLends<T>, Lent<T>, T>;
  using Local = T;
  static void decode(cdr::Decoder& decoder, T& value) { Codec<T>::decode(decoder, value); }
  static void encode(cdr::Encoder&, const T&) {}
};
template <class T>
struct Parameter<Out<T>> {
  using Value = T;
  using Local = T;
  static void decode(cdr::Decoder&, T&) {}
  static void encode(cdr::Encoder& encoder, const T& value) { Codec<T>::encode(encoder, value); }
};
template <class T>
struct Parameter<Inout<T>> {
  using Value = T;
  using Local = T;
  static void decode(cdr::Decoder& decoder, T& value) { Codec<T>::decode(decoder, value); }
  static void encode(cdr::Encoder& encoder, const T& value) { Codec<T>::encode(encoder, value); }
};

/// How an argument reaches the method.
template <class P>
struct Passed {
  using Local = typename Parameter<P>::Local;
  using Type = Local&;
  /// True if put_back() has something to do when the method has returned.
  static constexpr bool kLater = false;
  /// Of a call in this process, whose caller has it at `address`.
  static Type at(void* address) noexcept { return *static_cast<Local*>(address); }
  static void put_back(const Local&) noexcept {}
};
/// What the method returns.
template <class R>
struct Returned {
  /// To a caller in this process, who wants it at `address`.
  static void put(void* address, R&& result) { *static_cast<R*>(address) = std::move(result); }
};

template <class R, class... P, class S, class Upcall, std::size_t... I>
void serve_local(S& servant, Upcall upcall, void* const* arguments, std::index_sequence<I...>) {
  if constexpr ((Passed<P>::kLater || ...)) {
    auto passed = std::tuple<decltype(Passed<P>::at(nullptr))...>(Passed<P>::at(arguments[I + 1])...);
    if constexpr (std::is_void_v<R>) {
      upcall(servant, std::get<I>(passed)...);
    } else {
      Returned<R>::put(arguments[0], upcall(servant, std::get<I>(passed)...));
    }
    (Passed<P>::put_back(std::get<I>(passed)), ...);
  } else if constexpr (std::is_void_v<R>) {
    upcall(servant, Passed<P>::at(arguments[I + 1])...);
  } else {
    Returned<R>::put(arguments[0], upcall(servant, Passed<P>::at(arguments[I + 1])...));
  }
}

/// All of serve() but the method.
template <class R, class... P, class S, class Upcall>
void serve_signature(S& servant, corba::ServerCall& call, Upcall upcall) {
  if (void* const* local = call.local_arguments()) {
    serve_local<R, P...>(servant, upcall, local, std::index_sequence_for<P...>{});
    return;
  }
  CORBEL_PROBE("unmarshal");
  std::tuple<typename Parameter<P>::Value...> arguments{};
  std::apply(
      [&](auto&... values) {
        if constexpr (sizeof...(P) != 0) {
          try {
            (Parameter<P>::decode(call.arguments(), values), ...);
          } catch (...) {
            call.refuse_arguments();
          }
        }
        call.check_arguments();
        CORBEL_PROBE("upcall");
        if constexpr (std::is_void_v<R>) {
          upcall(servant, values...);
          call.reply([&]([[maybe_unused]] cdr::Encoder& encoder) { (Parameter<P>::encode(encoder, values), ...); });
        } else {
          const R result = upcall(servant, values...);
          call.reply([&](cdr::Encoder& encoder) {
            Codec<R>::encode(encoder, result);
            (Parameter<P>::encode(encoder, values), ...);
          });
        }
      },
      arguments);
}

}  // namespace detail

/// Serves one operation: unmarshals, calls the servant's method, marshals the results. `P...` are In<T>, Out<T> and
/// Inout<T> in the order of the operation's parameters. Operations of one signature share all but a pointer to the
/// code that calls the method; those that marshal nothing are shorter without it.
template <class S, auto Method, class R, class... P>
void serve(S& servant, corba::ServerCall& call) {
  constexpr auto upcall = [](S& on, typename detail::Passed<P>::Type... arguments) -> R {
    return (on.*Method)(arguments...);
  };
  if constexpr (std::is_void_v<R> && sizeof...(P) == 0) {
    detail::serve_signature<R>(servant, call, upcall);
  } else {
    detail::serve_signature<R, P...>(servant, call, +upcall);
  }
}

/// A table entry of a base interface seen from a derived one.
template <class Derived, class Base, void (*Serve)(Base&, corba::ServerCall&)>
void inherited(Derived& servant, corba::ServerCall& call) {
  Serve(servant, call);
}

namespace detail {

/// `operations`: an OperationTable, or others that find by name.
template <class S, class Operations>
[[gnu::noinline]] bool dispatch_by_name(const Operations& operations, S& servant, corba::ServerCall& call) {
  CORBEL_PROBE("operation lookup");
  const OperationEntry<S>* entry = operations.find(call.operation());
  if (entry == nullptr) return false;
  call.set_raises(entry->raises);
  call.match(entry->signature);
  entry->serve(servant, call);
  return true;
}

}  // namespace detail

/// Finds and serves the operation; false if the table has none of that name.
template <class S, std::size_t N>
bool dispatch(const OperationTable<S, N>& table, S& servant, corba::ServerCall& call) {
  // A stub in this process that knows of the same operation with the same types needs neither name nor match().
  if (call.local_arguments() != nullptr) {
    if (const OperationEntry<S>* entry = table.find(call.signature())) [[likely]] {
      call.set_raises(entry->raises);
      entry->serve(servant, call);
      return true;
    }
  }
  return detail::dispatch_by_name(table, servant, call);
}

}  // namespace corbel::mapping
