// SPDX-License-Identifier: Apache-2.0
// The loop is Qt's. With widgets it is the same, with QApplication.
#include <QCoreApplication>
#include <QSocketNotifier>
#include <QTimer>

#include "meter.hpp"

int main(int argc, char* argv[]) try {
  Station station(argc, argv);
  QCoreApplication application(argc, argv);

  QSocketNotifier ready(station.work.descriptor(), QSocketNotifier::Read);
  QObject::connect(&ready, &QSocketNotifier::activated, [&] {
    station.work.dispatch();
    if (!station.work.ended()) return;
    ready.setEnabled(false);
    QCoreApplication::quit();
  });

  QTimer timer;
  QObject::connect(&timer, &QTimer::timeout, [&] { station.meter->tick(); });
  timer.start(kTickMilliseconds);

  return QCoreApplication::exec();
} catch (const CORBA::Exception& exception) {
  std::cerr << "qt server: " << exception << '\n';
  return 1;
}
