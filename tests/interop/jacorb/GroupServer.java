// SPDX-License-Identifier: Apache-2.0
package peer;

import Groups.BoardPOA;
import org.omg.CORBA.ORB;
import org.omg.PortableGroup.GOA;
import org.omg.PortableGroup.GOAHelper;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.POAHelper;

/** GroupServer GROUP: a member of the group. Prints its own reference. */
public final class GroupServer extends BoardPOA {
  private final StringBuilder told = new StringBuilder();

  @Override
  public synchronized void post(int number, String text, byte[] picture) {
    told.append(GroupClient.line(number, text, picture));
  }

  @Override
  public synchronized String told() {
    return told.toString();
  }

  public static void main(String[] arguments) throws Exception {
    ORB orb = GroupClient.orb();
    POA root = POAHelper.narrow(orb.resolve_initial_references("RootPOA"));
    root.the_POAManager().activate();
    GroupServer board = new GroupServer();
    byte[] id = root.activate_object(board);
    GOA adapter = GOAHelper.narrow(root);
    adapter.associate_reference_with_id(orb.string_to_object(arguments[0]), id);
    System.out.println(orb.object_to_string(root.id_to_reference(id)));
    System.out.flush();
    orb.run();
  }
}
