// SPDX-License-Identifier: Apache-2.0
package javax.rmi.CORBA;

/** JacORB asks whether servants are stubs of RMI, which the JDK no longer has. */
public abstract class Stub extends org.omg.CORBA_2_3.portable.ObjectImpl {}
