// SPDX-License-Identifier: Apache-2.0
package peer;

/** What was the JDK's tnameserv: NamingServer -ORBInitialPort PORT. It says when it is there. */
public final class NamingServer {
  private NamingServer() {}

  public static void main(String[] arguments) {
    System.setProperty("com.sun.corba.ee.ORBServerHost", "127.0.0.1");
    com.sun.corba.ee.impl.naming.cosnaming.TransientNameServer.main(arguments);
  }
}
