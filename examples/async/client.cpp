// SPDX-License-Identifier: Apache-2.0
// Asks for several prices at once, in four ways: with futures, in a coroutine, with a reply handler, and with pollers.
#include <corbel/corbel.hpp>

#include <future>
#include <iostream>

#include "prices_server.hpp"

using ShopRef = IDL::traits<Prices::Shop>::ref_type;

/// Any coroutine type will do; this one keeps its result in a std::promise.
struct Total {
  struct promise_type {
    std::promise<double> result;
    Total get_return_object() { return {result.get_future()}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_value(double value) { result.set_value(value); }
    void unhandled_exception() { result.set_exception(std::current_exception()); }
  };
  std::future<double> result;
};

Total total(ShopRef shop) {
  auto bread = shop->async_price("bread");
  auto wine = shop->async_price("wine");  // both requests are under way
  double sum = co_await std::move(bread) + co_await std::move(wine);
  try {
    sum += co_await shop->async_price("air");
  } catch (const Prices::Unknown&) {  // free
  }
  co_return sum;
}

/// Told the outcome of sendc_price by a thread of the ORB.
class PriceHandler : public CORBA::amic_traits<Prices::Shop>::replyhandler_base_type {
 public:
  void price(double value) override { told.set_value(value); }
  void price_excep(IDL::traits<Messaging::ExceptionHolder>::ref_type holder) override {
    told.set_exception(holder->exception());
  }
  std::promise<double> told;
};

/// The prices of these, in the order in which they come.
double total_as_they_come(ShopRef shop, const std::vector<std::string>& articles) {
  IDL::traits<CORBA::PollableSet>::ref_type pending;
  for (const auto& article : articles) {
    auto poller = shop->sendp_price(article);
    pending ? pending->add_pollable(poller) : void(pending = poller->create_pollable_set());
  }
  double sum = 0;
  while (pending && pending->number_left() > 0) {
    double value = 0;
    auto ready = pending->get_ready_pollable(20'000);  // milliseconds
    IDL::traits<Prices::AMI_ShopPoller>::narrow(ready)->price(0, value);
    sum += value;
  }
  return sum;
}

int main(int argc, char* argv[]) try {
  auto orb = CORBA::ORB_init(argc, argv);
  if (argc < 2) {
    std::cerr << "usage: async_client REFERENCE\n";
    return 2;
  }
  auto shop = IDL::traits<Prices::Shop>::narrow(orb->string_to_object(argv[1]));

  auto apple = shop->async_price("apple");
  auto pear = shop->async_price("pear");
  std::cout << "futures: " << apple.get() + pear.get() << '\n';

  std::cout << "coroutine: " << total(shop).result.get() << '\n';

  auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  poa->the_POAManager()->activate();
  auto handler = CORBA::make_reference<PriceHandler>();
  auto told = handler->told.get_future();
  shop->sendc_price(handler->_this(), "cheese");
  std::cout << "handler: " << told.get() << '\n';

  std::cout << "pollers: " << total_as_they_come(shop, {"ham", "milk", "jam"}) << '\n';

  shop->close();
  orb->destroy();
  return 0;
} catch (const CORBA::Exception& exception) {
  std::cerr << "client: " << exception << '\n';
  return 1;
}
