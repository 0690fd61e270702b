// SPDX-License-Identifier: Apache-2.0
package peer;

import Interop.NodeHelper;
import Interop.Whole.SuitePOATie;
import org.omg.CORBA.LocalObject;
import org.omg.CORBA.ORB;
import org.omg.CORBA.Policy;
import org.omg.PortableServer.ForwardRequest;
import org.omg.PortableServer.IdAssignmentPolicyValue;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.POAHelper;
import org.omg.PortableServer.RequestProcessingPolicyValue;
import org.omg.PortableServer.Servant;
import org.omg.PortableServer.ServantActivator;

/** The JacORB server of the suite; with --dynamic that of tests/interop/dynamic. Prints its IOR. */
public final class Server {
  private Server() {}

  /** Answers every request with a location forward. */
  private static final class Forwarder extends LocalObject implements ServantActivator {
    private final transient org.omg.CORBA.Object target;

    Forwarder(org.omg.CORBA.Object target) {
      this.target = target;
    }

    @Override
    public Servant incarnate(byte[] id, POA adapter) throws ForwardRequest {
      throw new ForwardRequest(target);
    }

    @Override
    public void etherealize(byte[] id, POA adapter, Servant servant, boolean cleanup, boolean remaining) {}
  }

  public static void main(String[] arguments) throws Exception {
    Options options = new Options(arguments);
    ORB orb = options.orb();
    POA poa = POAHelper.narrow(orb.resolve_initial_references("RootPOA"));
    org.omg.CORBA.Object object;
    if (options.dynamic) {
      object = poa.servant_to_reference(new MirrorServant(orb));
    } else {
      Policy[] policies = {poa.create_id_assignment_policy(IdAssignmentPolicyValue.USER_ID),
          poa.create_request_processing_policy(RequestProcessingPolicyValue.USE_SERVANT_MANAGER)};
      POA forwarding = poa.create_POA("forwarding", poa.the_POAManager(), policies);
      SuiteServant suite = new SuiteServant(orb, poa, forwarding);
      object = poa.servant_to_reference(new SuitePOATie(suite.operations()));
      suite.self(NodeHelper.narrow(object));
      forwarding.set_servant_manager(new Forwarder(object));
    }
    poa.the_POAManager().activate();
    System.out.println(orb.object_to_string(object));
    orb.run();
  }
}
