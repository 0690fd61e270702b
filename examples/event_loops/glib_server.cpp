// SPDX-License-Identifier: Apache-2.0
// The loop is GLib's, which programs with GTK have, too.
#include <glib-unix.h>
#include <glib.h>

#include "meter.hpp"

namespace {

struct Program {
  Station station;
  GMainLoop* loop;
};

gboolean on_work(gint, GIOCondition, gpointer data) {
  auto& program = *static_cast<Program*>(data);
  program.station.work.dispatch();
  if (!program.station.work.ended()) return G_SOURCE_CONTINUE;
  g_main_loop_quit(program.loop);
  return G_SOURCE_REMOVE;
}

gboolean on_tick(gpointer data) {
  static_cast<Program*>(data)->station.meter->tick();
  return G_SOURCE_CONTINUE;
}

}  // namespace

int main(int argc, char* argv[]) try {
  Program program{{argc, argv}, g_main_loop_new(nullptr, FALSE)};
  g_unix_fd_add(program.station.work.descriptor(), G_IO_IN, on_work, &program);
  const guint timer = g_timeout_add(kTickMilliseconds, on_tick, &program);
  g_main_loop_run(program.loop);
  g_source_remove(timer);
  g_main_loop_unref(program.loop);
  return 0;
} catch (const CORBA::Exception& exception) {
  std::cerr << "glib server: " << exception << '\n';
  return 1;
}
