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
      } else if (arguments[i].equals("--life")) {
        endAfter(Integer.parseInt(arguments[++i]));
      } else {
        ++i;  // the value of an option that does not concern us
      }
    }
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
