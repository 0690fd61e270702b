// SPDX-License-Identifier: Apache-2.0
package peer;

/** JacORB's naming service; where it listens and writes its reference is said by properties (JAVA_TOOL_OPTIONS). */
public final class NamingServer {
  private NamingServer() {}

  public static void main(String[] arguments) throws Exception {
    System.setProperty("org.omg.CORBA.ORBClass", "org.jacorb.orb.ORB");
    System.setProperty("org.omg.CORBA.ORBSingletonClass", "org.jacorb.orb.ORBSingleton");
    org.jacorb.naming.NameServer.main(arguments);
  }
}
