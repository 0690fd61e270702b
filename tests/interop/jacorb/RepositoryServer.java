// SPDX-License-Identifier: Apache-2.0
package peer;

import java.io.File;
import java.util.Properties;
import org.omg.CORBA.INTF_REPOS;
import org.omg.CORBA.IntHolder;
import org.omg.CORBA.InterfaceDefHelper;
import org.omg.CORBA.ORB;
import org.omg.CORBA.Repository;
import org.omg.CORBA.RepositoryHelper;
import org.omg.CORBA.StringHolder;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.POAHelper;

/**
 * JacORB's interface repository, of the classes in a folder, and an object whose interface is in it:
 * RepositoryServer FOLDER FILE writes the reference of the repository to FILE, prints that of the object, and ends with
 * its standard input.
 */
public final class RepositoryServer {
  private RepositoryServer() {}

  private static final class Shelf extends Stock.ShelfPOA {
    private String label = "old";
    private int count = 42;

    @Override public int count() {
      return count;
    }
    @Override public String label() {
      return label;
    }
    @Override public void label(String text) {
      label = text;
    }
    @Override public Stock.Everything echo(Stock.Everything value) {
      return value;
    }
    @Override public Stock.Length number(Stock.Length value) {
      return value;
    }
    @Override public Stock.Shelf next(Stock.Base from) {
      return Stock.ShelfHelper.narrow(from);
    }
    @Override public int divide(int a, int b, IntHolder rest) throws Stock.Refused {
      if (b == 0) throw new Stock.Refused("division by nothing", a, Stock.Colour.green);
      rest.value = a % b;
      return a / b;
    }
    @Override public void swap(StringHolder a, StringHolder b) {
      String kept = a.value;
      a.value = b.value;
      b.value = kept;
    }
    @Override public void poke(int amount) {
      count += amount;
    }
  }

  /** It answers before it has read all classes. */
  private static boolean knowsShelf(Repository repository) {
    try {
      return InterfaceDefHelper.narrow(repository.lookup_id("IDL:Stock/Shelf:1.0")).describe_interface().operations.length > 0;
    } catch (INTF_REPOS | NullPointerException notYet) {
      return false;
    }
  }

  public static void main(String[] arguments) throws Exception {
    System.setProperty("org.omg.CORBA.ORBClass", "org.jacorb.orb.ORB");
    System.setProperty("org.omg.CORBA.ORBSingletonClass", "org.jacorb.orb.ORBSingleton");
    System.setProperty("OAIAddr", "127.0.0.1");
    Thread repository = new Thread(() -> org.jacorb.ir.IRServer.main(arguments));  // which ends the process if it fails
    repository.setDaemon(true);
    repository.start();
    File reference = new File(arguments[1]);
    while (reference.length() == 0) Thread.sleep(20);

    Properties properties = new Properties();
    properties.put("ORBInitRef.InterfaceRepository", "file://" + reference.getAbsolutePath());
    ORB orb = ORB.init(new String[0], properties);
    POA poa = POAHelper.narrow(orb.resolve_initial_references("RootPOA"));
    poa.the_POAManager().activate();
    while (!knowsShelf(RepositoryHelper.narrow(orb.resolve_initial_references("InterfaceRepository")))) Thread.sleep(20);
    System.out.println(orb.object_to_string(poa.servant_to_reference(new Shelf())));
    while (System.in.read() >= 0) {}
    System.exit(0);
  }
}
