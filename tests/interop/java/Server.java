// SPDX-License-Identifier: Apache-2.0
package peer;

import Interop.NodeHelper;
import Interop.Whole.SuitePOATie;
import org.omg.CORBA.ORB;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.POAHelper;

/** The server of the suite in Java; with --dynamic that of tests/interop/dynamic, with
 * --values that of tests/interop/values. Prints its IOR. */
public final class Server {
  private Server() {}

  public static void main(String[] arguments) throws Exception {
    Options options = new Options(arguments);
    ORB orb = Vendor.orb(options);
    POA poa = POAHelper.narrow(orb.resolve_initial_references("RootPOA"));
    poa.the_POAManager().activate();  // narrow() may ask the object what it is
    org.omg.CORBA.Object object;
    if (options.dynamic) {
      object = poa.servant_to_reference(new MirrorServant(orb));
    } else if (options.values) {
      GraphValues.registerFactories(orb, false);
      object = poa.servant_to_reference(new GraphServant(orb));
    } else {
      POA own = Vendor.callbackPoa(options, orb, poa);
      SuiteServant suite = new SuiteServant(orb, own);
      object = own.servant_to_reference(new SuitePOATie(suite.operations()));
      suite.self(NodeHelper.narrow(object));
      if (Vendor.FORWARDS) suite.forwarded(Forwarder.to(object, poa));
    }
    System.out.println(orb.object_to_string(object));
    orb.run();
  }
}
