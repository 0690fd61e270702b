// SPDX-License-Identifier: Apache-2.0
package javax.rmi.CORBA;

/** What JacORB calls where values are those of IDL. */
public interface ValueHandler {
  String getRMIRepositoryID(Class<?> type);
}
