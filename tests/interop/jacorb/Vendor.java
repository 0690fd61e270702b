// SPDX-License-Identifier: Apache-2.0
package peer;

import Interop.Whole.Suite;
import java.util.Map;
import java.util.Properties;
import org.omg.BiDirPolicy.BIDIRECTIONAL_POLICY_TYPE;
import org.omg.BiDirPolicy.BOTH;
import org.omg.BiDirPolicy.BidirectionalPolicyValueHelper;
import org.omg.CORBA.Any;
import org.omg.CORBA.ORB;
import org.omg.CORBA.Policy;
import org.omg.PortableServer.ImplicitActivationPolicyValue;
import org.omg.PortableServer.POA;

/** What differs between JacORB and other ORBs in Java. */
final class Vendor {
  /** Checks that it cannot pass, some in a version of GIOP only, and why. */
  static final Map<String, String> BEYOND = Map.of(
      "echo_short_union", "JacORB cannot compile the label 65535 of an unsigned short",
      "echo_wide_union", "JacORB refuses labels beyond 32 bits",
      "echo_bounded_wstring", "JacORB reads bounded wide strings as narrow ones",
      "code_set_beyond in ISO-8859-1", "JacORB sends the lower octet of what ISO 8859-1 does not have",
      "echo_wides in GIOP 1.1", "JacORB reads a wchar of GIOP 1.1 without aligning it");
  /** Whether servers forward; JacORB answers a ForwardRequest of a servant manager with nothing. */
  static final boolean FORWARDS = false;
  /** Whether _non_existent() raises what the server answers. */
  static final boolean NON_EXISTENT_RAISES = false;

  private Vendor() {}

  /** What a thread of the server does before it answers. */
  static void beforeReply() {}

  static int module(Suite suite) {
    return suite.module();
  }

  static int colour() {
    return Interop.kColour.value.value();
  }

  /**
   * The adapter of objects that servers call back, and of what clients call. A client listens no more: the listen
   * points that it tells are the addresses of its sockets, whatever host its references name.
   */
  static POA callbackPoa(Options options, ORB orb, POA root) throws Exception {
    if (!options.bothWays()) return root;
    if (!options.ior.isEmpty()) ((org.jacorb.orb.ORB) orb).getBasicAdapter().stopListeners();
    Any both = orb.create_any();
    BidirectionalPolicyValueHelper.insert(both, BOTH.value);
    Policy[] policies = {
      root.create_implicit_activation_policy(ImplicitActivationPolicyValue.IMPLICIT_ACTIVATION),
      orb.create_policy(BIDIRECTIONAL_POLICY_TYPE.value, both)};
    return root.create_POA("both ways", root.the_POAManager(), policies);
  }

  /** Both sides show certificates; the key store is where the runner has put it. */
  private static void useTls(Properties properties) {
    String sockets = "org.jacorb.security.ssl.sun_jsse.";
    properties.put("jacorb.security.support_ssl", "on");
    properties.put("jacorb.ssl.socket_factory", sockets + "SSLSocketFactory");
    properties.put("jacorb.ssl.server_socket_factory", sockets + "SSLServerSocketFactory");
    properties.put("jacorb.security.keystore", System.getenv("CORBEL_INTEROP_KEYSTORE"));
    properties.put("jacorb.security.keystore_password", "changeit");
    properties.put("jacorb.security.keystore_type", "JKS");  // JacORB 3.9 reads no other; Java sees what is in the file
    properties.put("jacorb.security.truststore", System.getenv("CORBEL_INTEROP_KEYSTORE"));
    properties.put("jacorb.security.truststore_password", "changeit");
    properties.put("jacorb.security.truststore_type", "JKS");
    properties.put("jacorb.security.ssl.server.supported_options", "60");
    properties.put("jacorb.security.ssl.server.required_options", "60");
    properties.put("jacorb.security.ssl.client.supported_options", "60");
    properties.put("jacorb.security.ssl.client.required_options", "20");
    properties.put("jacorb.security.ssl.server.protocols", "TLSv1.2,TLSv1.3");
    properties.put("jacorb.security.ssl.client.protocols", "TLSv1.2,TLSv1.3");
  }

  static ORB orb(Options options) {
    Properties properties = new Properties();
    properties.put("org.omg.CORBA.ORBClass", "org.jacorb.orb.ORB");
    properties.put("org.omg.CORBA.ORBSingletonClass", "org.jacorb.orb.ORBSingleton");
    properties.put("OAIAddr", options.endpoint.equals("tcp6") ? "::1" : "127.0.0.1");
    properties.put("jacorb.native_char_codeset", "UTF8");
    properties.put("jacorb.native_wchar_codeset", "UTF16");
    properties.put("jacorb.poa.queue_max", "100000");  // beyond it requests are discarded
    properties.put("jacorb.log.default.verbosity", "0");
    properties.put("jacorb.giop_minor_version", options.giop.substring(2));
    if (options.endpoint.equals("ssl")) useTls(properties);
    if (options.bothWays()) {
      properties.put("org.omg.PortableInterceptor.ORBInitializerClass.bidir",
          "org.jacorb.orb.giop.BiDirConnectionInitializer");
    }
    options.addTo(properties);
    return ORB.init(new String[0], properties);
  }
}
