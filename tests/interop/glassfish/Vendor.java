// SPDX-License-Identifier: Apache-2.0
package peer;

import Interop.Whole.Suite;
import com.sun.corba.ee.impl.encoding.Converters;
import java.util.Map;
import java.util.Properties;
import org.omg.CORBA.ORB;
import org.omg.PortableServer.POA;

/** What differs between the ORB of GlassFish and other ORBs in Java. */
final class Vendor {
  /** Checks that it cannot pass, some over an endpoint only, and why. */
  static final Map<String, String> BEYOND = Map.of(
      "echo_short_union", "GlassFish's compiler makes Java that does not compile of the label 65535",
      "echo_wide_union", "GlassFish's compiler makes Java that does not compile of discriminators of 64 bits",
      "raise_TRANSIENT", "GlassFish tries again for as long as it may, and raises COMM_FAILURE",
      "location_forward", "GlassFish asks the object that forwarded it within one server again, until its stack is full",
      "raise_user over cut", "GlassFish does not find back to the beginning of an exception that comes in fragments",
      "truncation", "GlassFish writes the id of the most derived type only");
  /** Whether servers forward. */
  static final boolean FORWARDS = true;
  /** Whether _non_existent() raises what the server answers. */
  static final boolean NON_EXISTENT_RAISES = true;

  private Vendor() {}

  /** What a thread of the server does before it answers. */
  static void beforeReply() {
    Converters.prepare();
  }

  /** GlassFish leaves the underscore of an escaped name in Java's. */
  static int module(Suite suite) {
    return suite._module();
  }

  static int colour() {
    return Interop.kColour.value;
  }

  /** The adapter of objects that servers call back, and of what clients call. There is no bidirectional GIOP. */
  static POA callbackPoa(Options options, ORB orb, POA root) {
    return root;
  }

  static ORB orb(Options options) {
    Properties properties = new Properties();
    properties.put("org.omg.CORBA.ORBClass", "com.sun.corba.ee.impl.orb.ORBImpl");
    properties.put("org.omg.CORBA.ORBSingletonClass", "com.sun.corba.ee.impl.orb.ORBSingleton");
    String host = options.endpoint.equals("tcp6") ? "::1" : "127.0.0.1";
    properties.put("com.sun.corba.ee.ORBServerHost", host);
    properties.put("com.sun.corba.ee.transport.ORBMaximumReadByteBufferSize", "67108864");  // messages beyond it end connections
    properties.put("com.sun.corba.ee.giop.ORBGIOPVersion", options.giop);
    // A TRANSIENT is tried again for so long: first wait, most in all (ms), growth in percent.
    properties.put("com.sun.corba.ee.transport.ORBTCPConnectTimeouts", "50:500:100");
    options.addTo(properties);
    ORB orb = ORB.init(new String[0], properties);
    Converters.prepare();
    // TypeCodes that contain themselves work only if the outermost one is made first.
    Interop.TreeHelper.type();
    Dynamic.NodeHelper.type();
    return orb;
  }
}
