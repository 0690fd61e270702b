// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "support.hpp"

/// The ways in which an attempt at one place can end, and what follows: the table of docs/calls.md.
namespace corbel::calls_test {

/// One place of a reference, and what stands there.
struct Place {
  std::unique_ptr<test::FakePeer> peer;
  std::unique_ptr<test::RefusingPort> refusing;
  std::unique_ptr<test::SilentPort> silent;
  test::ProfileData nobody;  ///< if there is nothing

  test::ProfileData profile() const {
    if (peer != nullptr) return peer->profile();
    if (refusing != nullptr) return refusing->profile();
    return silent != nullptr ? silent->profile() : nobody;
  }
  unsigned requests() const { return peer == nullptr ? 0 : peer->requests(); }
};

/// What the client does by itself.
enum class Then {
  raises,      ///< nothing: the caller is told
  goes_on,     ///< tries the next place of the list
  comes_home,  ///< at a forwarded place: tries where the reference leads, once; else raises
};

struct End {
  std::string where;      ///< in the life of a call
  std::string how;        ///< what happens, in words
  std::string executed;   ///< yes, no, unknown: whether the server has executed the request
  std::string exception;  ///< empty: the call is done
  std::string completed;  ///< NO, MAYBE, YES
  std::uint32_t minor = 0;
  Then then = Then::raises;
  std::string note;             ///< what it does by itself, if there is more to say
  unsigned asked = 1;           ///< requests that the place gets
  bool slow = false;            ///< takes a time-out
  bool no_place = false;        ///< a reference that has others does not show it
  bool of_answer = false;       ///< lies in results or user exceptions, which oneways have not
  std::function<Place()> make;  ///< for the product of everything with everything
  std::function<Ending()> run;  ///< or else: carries out one call that ends so, and looks which peer was asked what

  std::string outcome() const {
    return exception.empty() ? "done" : exception + (completed.empty() ? "" : ' ' + completed);
  }
};

/// In the order of a call's life.
const std::vector<End>& ends();

// Those that are run one by one (special_endings.cpp).
End wide_data_without_code_sets();
End wide_data_in_giop_1_0();
End broken_while_sending();
End timed_out_while_sending();
End ended_while_connecting();
End ended_by_shutdown();
End cut_for_memory();
End begun_after_shutdown();
End begun_after_destroy();
End wide_data_without_common_code_set();

// Those that a carrier, arguments or results bring about (broken_endings.cpp).
End timed_out_while_resolving();
void add_broken_connecting(std::vector<End>& all);
void add_broken_encoding(std::vector<End>& all);
void add_broken_sending(std::vector<End>& all);
void add_broken_waiting(std::vector<End>& all);
void add_broken_decoding(std::vector<End>& all);

// Those of policies, interceptors, fork and withdrawal (governed_endings.cpp).
void add_governed_beginnings(std::vector<End>& all);
void add_withdrawn(std::vector<End>& all);
void add_governed_waiting(std::vector<End>& all);
void add_governed_forwards(std::vector<End>& all);
void add_governed_answers(std::vector<End>& all);

}  // namespace corbel::calls_test
