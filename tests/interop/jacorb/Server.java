// SPDX-License-Identifier: Apache-2.0
package peer;

import Interop.NodeHelper;
import Interop.Whole.SuitePOATie;
import org.omg.CORBA.ORB;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.POAHelper;

/** The JacORB server of the suite; with --dynamic that of tests/interop/dynamic, with
 * --values that of tests/interop/values. Prints its IOR. */
public final class Server {
  private Server() {}

  public static void main(String[] arguments) throws Exception {
    Options options = new Options(arguments);
    ORB orb = options.orb();
    POA poa = POAHelper.narrow(orb.resolve_initial_references("RootPOA"));
    org.omg.CORBA.Object object;
    if (options.dynamic) {
      object = poa.servant_to_reference(new MirrorServant(orb));
    } else if (options.values) {
      GraphValues.registerFactories(orb, false);
      object = poa.servant_to_reference(new GraphServant(orb));
    } else {
      POA own = options.callbackPoa(orb, poa);
      SuiteServant suite = new SuiteServant(orb, own);
      object = own.servant_to_reference(new SuitePOATie(suite.operations()));
      suite.self(NodeHelper.narrow(object));
    }
    poa.the_POAManager().activate();
    System.out.println(orb.object_to_string(object));
    orb.run();
  }
}
