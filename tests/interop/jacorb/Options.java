// SPDX-License-Identifier: Apache-2.0
package peer;

import java.util.Properties;
import java.util.Timer;
import java.util.TimerTask;
import org.omg.CORBA.ORB;

/** The command line of every server and client of the suite, as far as it concerns JacORB. */
final class Options {
  String ior = "";
  String filter = "";
  boolean dynamic;
  boolean values;

  Options(String[] arguments) {
    for (int i = 0; i < arguments.length; ++i) {
      if (arguments[i].equals("--dynamic")) {
        dynamic = true;
      } else if (arguments[i].equals("--values")) {
        values = true;
      } else if (arguments[i].equals("--ior")) {
        ior = arguments[++i];
      } else if (arguments[i].equals("--filter")) {
        filter = arguments[++i];
      } else if (arguments[i].equals("--life")) {
        endAfter(Integer.parseInt(arguments[++i]));
      } else {
        ++i;  // the value of an option that does not concern us
      }
    }
  }

  private static void endAfter(int seconds) {
    new Timer(true).schedule(new TimerTask() {
      @Override
      public void run() {
        Runtime.getRuntime().halt(3);
      }
    }, seconds * 1000L);
  }

  ORB orb() {
    Properties properties = new Properties();
    properties.put("org.omg.CORBA.ORBClass", "org.jacorb.orb.ORB");
    properties.put("org.omg.CORBA.ORBSingletonClass", "org.jacorb.orb.ORBSingleton");
    properties.put("OAIAddr", "127.0.0.1");
    properties.put("jacorb.native_char_codeset", "UTF8");
    properties.put("jacorb.native_wchar_codeset", "UTF16");
    properties.put("jacorb.poa.queue_max", "100000");  // beyond it requests are discarded
    properties.put("jacorb.log.default.verbosity", "0");
    return ORB.init(new String[0], properties);
  }
}
