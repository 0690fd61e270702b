// SPDX-License-Identifier: Apache-2.0
package peer;

import java.util.Timer;
import java.util.TimerTask;

/** The command line of every server and client of the suite, as far as it concerns them. */
final class Options {
  String ior = "";
  String filter = "";
  String endpoint = "";
  /** The highest version of GIOP that is offered. */
  String giop = "1.2";
  /** What a client of this ORB has inside, ISO-8859-1 or UTF-8, if told. */
  String charSet = "";
  /** The ORB's own properties. */
  final java.util.Properties settings = new java.util.Properties();
  boolean dynamic;
  boolean values;
  boolean deferred;

  Options(String[] arguments) {
    for (int i = 0; i < arguments.length; ++i) {
      if (arguments[i].equals("--dynamic")) {
        dynamic = true;
      } else if (arguments[i].equals("--values")) {
        values = true;
      } else if (arguments[i].equals("--deferred")) {
        deferred = true;
      } else if (arguments[i].equals("--ior")) {
        ior = arguments[++i];
      } else if (arguments[i].equals("--endpoint")) {
        endpoint = arguments[++i];
      } else if (arguments[i].equals("--giop")) {
        giop = arguments[++i];
      } else if (arguments[i].equals("--filter")) {
        filter = arguments[++i];
      } else if (arguments[i].equals("--char-set")) {
        charSet = arguments[++i];
      } else if (arguments[i].equals("--set")) {
        String[] setting = arguments[++i].split("=", 2);
        settings.put(setting[0], setting[1]);
      } else if (arguments[i].equals("--life")) {
        endAfter(Integer.parseInt(arguments[++i]));
      } else {
        ++i;  // the value of an option that does not concern us
      }
    }
  }

  /** Puts what the command line says of the ORB itself. */
  void addTo(java.util.Properties properties) {
    properties.putAll(settings);
    if (contexts()) properties.put("org.omg.PortableInterceptor.ORBInitializerClass.peer.Contexts", "");
  }

  boolean contexts() {
    return endpoint.equals("contexts");
  }

  boolean bothWays() {
    return endpoint.equals("both-ways");
  }

  private static void endAfter(int seconds) {
    new Timer(true).schedule(new TimerTask() {
      @Override
      public void run() {
        Runtime.getRuntime().halt(3);
      }
    }, seconds * 1000L);
  }
}
