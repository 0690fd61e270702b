// SPDX-License-Identifier: Apache-2.0
package peer;

import Groups.Board;
import Groups.BoardHelper;
import java.util.Arrays;
import java.util.Properties;
import org.omg.CORBA.ORB;

/** GroupClient GROUP SERVER...: posts to the group, and asks each server what it was told. */
public final class GroupClient {
  private GroupClient() {}

  static ORB orb() {
    Properties properties = new Properties();
    properties.put("org.omg.CORBA.ORBClass", "org.jacorb.orb.ORB");
    properties.put("org.omg.CORBA.ORBSingletonClass", "org.jacorb.orb.ORBSingleton");
    properties.put("jacorb.transport.factories", "org.jacorb.orb.iiop.IIOPFactories,org.jacorb.orb.miop.MIOPFactories");
    properties.put("jacorb.transport.client.selector", "org.jacorb.orb.miop.MIOPProfileSelector");
    properties.put("OAIAddr", "127.0.0.1");
    properties.put("jacorb.native_char_codeset", "UTF8");
    properties.put("jacorb.log.default.verbosity", System.getenv().getOrDefault("JACORB_VERBOSITY", "0"));
    return ORB.init(new String[0], properties);
  }

  static String line(int number, String text, byte[] picture) {
    int sum = 0;
    for (byte octet : picture) sum = sum * 31 + (octet & 0xff);
    return number + " " + text + " " + picture.length + " " + Integer.toUnsignedString(sum) + "\n";
  }

  /** Requests that one server runs at the same time come in any order. */
  private static String[] linesOf(String text) {
    String[] lines = text.split("\n");
    Arrays.sort(lines);
    return lines;
  }

  public static void main(String[] arguments) throws Exception {
    ORB orb = orb();
    StringBuilder expected = new StringBuilder();
    Board group = BoardHelper.unchecked_narrow(orb.string_to_object(arguments[0]));
    int[] sizes = {0, 1, 1000, 1300, 1400, 1440, 3000, 20000, 60000};
    for (int number = 1; number <= 50; ++number) {
      byte[] picture = new byte[number <= sizes.length ? sizes[number - 1] : 0];
      for (int i = 0; i < picture.length; ++i) picture[i] = (byte) (i * 7 + picture.length);
      String text = number <= sizes.length ? "café" : "small";
      group.post(number, text, picture);
      expected.append(line(number, text, picture));
    }
    int status = 0;
    for (int i = 1; i < arguments.length; ++i) {
      Board server = BoardHelper.unchecked_narrow(orb.string_to_object(arguments[i]));
      String told = "";
      for (int tries = 0; tries < 100; ++tries) {
        told = server.told();
        if (told.length() >= expected.length()) break;
        Thread.sleep(100);
      }
      if (!Arrays.equals(linesOf(told), linesOf(expected.toString()))) {
        System.out.println("server " + i + " was told\n" + told + "instead of\n" + expected);
        status = 1;
      }
    }
    orb.shutdown(true);
    System.exit(status);
  }
}
