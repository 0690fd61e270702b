// SPDX-License-Identifier: Apache-2.0
package peer;

import org.omg.CORBA.ORB;
import org.omg.CosNaming.BindingHolder;
import org.omg.CosNaming.BindingIteratorHolder;
import org.omg.CosNaming.BindingListHolder;
import org.omg.CosNaming.BindingType;
import org.omg.CosNaming.NamingContext;
import org.omg.CosNaming.NamingContextExt;
import org.omg.CosNaming.NamingContextExtHelper;
import org.omg.CosNaming.NamingContextPackage.AlreadyBound;
import org.omg.CosNaming.NamingContextPackage.NotEmpty;
import org.omg.CosNaming.NamingContextPackage.NotFound;
import org.omg.CosNaming.NamingContextPackage.NotFoundReason;

/** Uses a naming service as a Java application does: NamingClient URL. Prints "ok", or throws. */
public final class NamingClient {
  private NamingClient() {}

  private static void check(boolean condition, String what) {
    if (!condition) throw new IllegalStateException(what);
  }

  public static void main(String[] arguments) throws Exception {
    Options options = new Options(new String[0]);
    options.settings.put("ORBInitRef.NameService", arguments[0]);  // JacORB's
    options.settings.put("org.omg.CORBA.ORBInitRef.NameService", arguments[0]);  // GlassFish's
    ORB orb = Vendor.orb(options);
    NamingContextExt root = NamingContextExtHelper.narrow(orb.resolve_initial_references("NameService"));
    String reference = orb.object_to_string(root);

    NamingContext context = root.bind_new_context(root.to_name("java.k"));
    root.bind(root.to_name("java.k/a"), root);
    check(root.resolve_str("java.k/a")._is_equivalent(orb.string_to_object(reference)), "what was bound is resolved");
    check(root.to_string(root.to_name("x\\.y.z/w")).equals("x\\.y.z/w"), "names as text");
    check(root.to_url(":host:1", "a b").equals("corbaname::host:1#a%20b"), "names as URLs");
    try {
      root.bind(root.to_name("java.k/a"), root);
      check(false, "AlreadyBound");
    } catch (AlreadyBound expected) {
      root.rebind(root.to_name("java.k/a"), context);
    }
    try {
      root.resolve(root.to_name("java.k/b/c"));
      check(false, "NotFound");
    } catch (NotFound expected) {
      check(expected.why == NotFoundReason.missing_node, "the reason");
      check(root.to_string(expected.rest_of_name).equals("b/c"), "the rest of the name");
    }
    try {
      context.destroy();
      check(false, "NotEmpty");
    } catch (NotEmpty expected) {
      // as it should be
    }
    for (int i = 0; i < 20; ++i) context.rebind(root.to_name("n" + i), root);
    context.bind_new_context(root.to_name("inner"));
    BindingListHolder list = new BindingListHolder();
    BindingIteratorHolder iterator = new BindingIteratorHolder();
    context.list(5, list, iterator);
    int found = list.value.length;
    int contexts = 0;
    BindingHolder one = new BindingHolder();
    check(iterator.value.next_one(one), "next_one");
    ++found;
    for (int i = 0; i < list.value.length; ++i) contexts += list.value[i].binding_type == BindingType.ncontext ? 1 : 0;
    while (iterator.value.next_n(6, list)) {
      found += list.value.length;
      for (int i = 0; i < list.value.length; ++i) contexts += list.value[i].binding_type == BindingType.ncontext ? 1 : 0;
    }
    iterator.value.destroy();
    check(found == 22 && contexts == 1, "the list: " + found + " of which " + contexts);
    System.out.println("ok");
    orb.shutdown(false);
  }
}
