// SPDX-License-Identifier: Apache-2.0
package peer;

import Interop.Node;
import Interop.NodeHelper;
import org.omg.CORBA.LocalObject;
import org.omg.CORBA.Policy;
import org.omg.PortableServer.ForwardRequest;
import org.omg.PortableServer.IdAssignmentPolicyValue;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.RequestProcessingPolicyValue;
import org.omg.PortableServer.Servant;
import org.omg.PortableServer.ServantActivator;

/** Answers every request of its adapter with a location forward. */
final class Forwarder extends LocalObject implements ServantActivator {
  private final org.omg.CORBA.Object target;

  private Forwarder(org.omg.CORBA.Object target) {
    this.target = target;
  }

  /** An object that forwards to `target`. */
  static Node to(org.omg.CORBA.Object target, POA root) throws Exception {
    Policy[] policies = {
      root.create_id_assignment_policy(IdAssignmentPolicyValue.USER_ID),
      root.create_request_processing_policy(RequestProcessingPolicyValue.USE_SERVANT_MANAGER)};
    POA forwarding = root.create_POA("forwarding", root.the_POAManager(), policies);
    forwarding.set_servant_manager(new Forwarder(target));
    return NodeHelper.unchecked_narrow(forwarding.create_reference_with_id("elsewhere".getBytes(), NodeHelper.id()));
  }

  @Override
  public Servant incarnate(byte[] oid, POA adapter) throws ForwardRequest {
    throw new ForwardRequest(target);
  }

  @Override
  public void etherealize(byte[] oid, POA adapter, Servant servant, boolean cleanup, boolean remaining) {}
}
