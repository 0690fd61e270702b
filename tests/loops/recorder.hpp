// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <thread>

#include "loops_server.hpp"

namespace corbel::loops_test {

using Handler = CORBA::amic_traits<Loops::Peer>::replyhandler_ref_type;
using Holder = IDL::traits<Messaging::ExceptionHolder>::ref_type;

/// Counts replies and failures by thread.
class Recorder : public virtual CORBA::amic_traits<Loops::Peer>::replyhandler_base_type {
 public:
  void echo(std::int32_t number) override {
    sum += number;
    tell("");
    if (on_echo) on_echo(number);
  }
  void echo_excep(Holder holder) override { fail(holder); }
  void ask(std::int32_t) override { tell(""); }
  void ask_excep(Holder holder) override { fail(holder); }
  void bounce(std::int32_t) override { tell(""); }
  void bounce_excep(Holder holder) override { fail(holder); }
  void fill(const std::string&) override { tell(""); }
  void fill_excep(Holder holder) override { fail(holder); }
  void note() override {}
  void note_excep(Holder) override {}
  void end() override {}
  void end_excep(Holder) override {}

  std::function<void(std::int32_t)> on_echo;
  std::int64_t sum = 0;
  std::size_t told = 0;
  std::size_t elsewhere = 0;
  std::map<std::string, int> failures;

 private:
  void tell(const std::string& failure) {
    ++told;
    elsewhere += std::this_thread::get_id() != here_;
    if (!failure.empty()) ++failures[failure];
  }
  void fail(const Holder& holder) {
    try {
      holder->raise_exception();
    } catch (const CORBA::Exception& exception) {
      tell(exception._name());
    }
  }

  const std::thread::id here_ = std::this_thread::get_id();
};

}  // namespace corbel::loops_test
