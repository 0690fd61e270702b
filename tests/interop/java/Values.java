// SPDX-License-Identifier: Apache-2.0
package peer;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.omg.CORBA.TCKind;
import org.omg.CORBA.TypeCode;

/** Values of any IDL type in Java's mapping, by their TypeCode: twist() of interop.idl, random samples, equality. */
final class Values {
  private Values() {}

  static TypeCode resolved(TypeCode type) throws Exception {
    while (type.kind().value() == TCKind._tk_alias) type = type.content_type();
    return type;
  }

  static Object twist(Object value, TypeCode alias) throws Exception {
    TypeCode type = resolved(alias);
    switch (type.kind().value()) {
      case TCKind._tk_boolean:
        return !(Boolean) value;
      case TCKind._tk_char:
      case TCKind._tk_wchar:
        return (char) ((Character) value ^ 1);
      case TCKind._tk_octet:
        return (byte) ((Byte) value ^ 1);
      case TCKind._tk_short:
      case TCKind._tk_ushort:
        return (short) ((Short) value + 1);
      case TCKind._tk_long:
      case TCKind._tk_ulong:
        return (Integer) value + 1;
      case TCKind._tk_longlong:
      case TCKind._tk_ulonglong:
        return (Long) value + 1;
      case TCKind._tk_float:
        return -(Float) value;
      case TCKind._tk_double:
        return -(Double) value;
      case TCKind._tk_string:
      case TCKind._tk_wstring:
        return swapCase((String) value);
      case TCKind._tk_enum:
        return enumerator(value.getClass(), (number(value) + 1) % type.member_count());
      case TCKind._tk_sequence:
      case TCKind._tk_array:
        return twistElements(value, type);
      case TCKind._tk_struct:
        return twistMembers(value, type);
      case TCKind._tk_union:
        return twistUnion(value, type);
      default:
        return value;
    }
  }

  /** The TypeCode of elements; from the helper if there is one, since those of recursive types are resolved there. */
  private static TypeCode elementType(TypeCode type, Class<?> element) throws Exception {
    try {
      return (TypeCode) Class.forName(element.getName() + "Helper").getMethod("type").invoke(null);
    } catch (ClassNotFoundException none) {
      return type.content_type();
    }
  }

  private static String swapCase(String text) {
    StringBuilder swapped = new StringBuilder();
    for (char c : text.toCharArray()) {
      boolean letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      swapped.append(letter ? (char) (c ^ 0x20) : c);
    }
    return swapped.toString();
  }

  private static int number(Object enumerator) throws Exception {
    return (Integer) enumerator.getClass().getMethod("value").invoke(enumerator);
  }

  private static Object enumerator(Class<?> type, int number) throws Exception {
    return type.getMethod("from_int", int.class).invoke(null, number);
  }

  private static Object twistElements(Object value, TypeCode type) throws Exception {
    int length = Array.getLength(value);
    boolean reversed = type.kind().value() == TCKind._tk_sequence;
    Object result = Array.newInstance(value.getClass().getComponentType(), length);
    TypeCode element = elementType(type, value.getClass().getComponentType());
    for (int i = 0; i < length; ++i) {
      Array.set(result, i, twist(Array.get(value, reversed ? length - 1 - i : i), element));
    }
    return result;
  }

  private static List<Field> fields(Class<?> type) {
    List<Field> found = new ArrayList<>();
    for (Field field : type.getFields()) {
      if (!Modifier.isStatic(field.getModifiers())) found.add(field);
    }
    return found;
  }

  private static Object twistMembers(Object value, TypeCode type) throws Exception {
    Object result = value.getClass().getConstructor().newInstance();
    List<Field> members = fields(value.getClass());
    for (int i = 0; i < members.size(); ++i) {
      members.get(i).set(result, twist(members.get(i).get(value), type.member_type(i)));
    }
    return result;
  }

  private static Object discriminator(Object union) throws Exception {
    return union.getClass().getMethod("discriminator").invoke(union);
  }

  /** Index of the active member, -1 if there is none: the one whose accessor does not refuse. */
  private static int active(Object union, TypeCode type) throws Exception {
    for (int i = 0; i < type.member_count(); ++i) {
      try {
        union.getClass().getMethod(type.member_name(i)).invoke(union);
        return i;
      } catch (InvocationTargetException refused) {
        if (!(refused.getCause() instanceof org.omg.CORBA.BAD_OPERATION)) throw refused;
      }
    }
    return -1;
  }

  private static Object member(Object union, TypeCode type, int index) throws Exception {
    return union.getClass().getMethod(type.member_name(index)).invoke(union);
  }

  /** The setter with or without discriminator; null if there is none. */
  private static Method setter(Class<?> union, String name, int parameters) {
    for (Method method : union.getMethods()) {
      if (method.getName().equals(name) && method.getParameterCount() == parameters) return method;
    }
    return null;
  }

  private static Object twistUnion(Object value, TypeCode type) throws Exception {
    int index = active(value, type);
    if (index < 0) return value;
    Object twisted = twist(member(value, type, index), type.member_type(index));
    Object result = value.getClass().getConstructor().newInstance();
    Method labelled = setter(value.getClass(), type.member_name(index), 2);
    if (labelled != null) {
      labelled.invoke(result, discriminator(value), twisted);
    } else {
      setter(value.getClass(), type.member_name(index), 1).invoke(result, twisted);
    }
    return result;
  }

  static boolean same(Object a, Object b, TypeCode alias) throws Exception {
    if (a == null || b == null) return a == b;
    TypeCode type = resolved(alias);
    switch (type.kind().value()) {
      case TCKind._tk_sequence:
      case TCKind._tk_array: {
        boolean equal = Array.getLength(a) == Array.getLength(b);
        TypeCode element = elementType(type, a.getClass().getComponentType());
        for (int i = 0; equal && i < Array.getLength(a); ++i) {
          equal = same(Array.get(a, i), Array.get(b, i), element);
        }
        return equal;
      }
      case TCKind._tk_struct: {
        List<Field> members = fields(a.getClass());
        for (int i = 0; i < members.size(); ++i) {
          if (!same(members.get(i).get(a), members.get(i).get(b), type.member_type(i))) return false;
        }
        return true;
      }
      case TCKind._tk_union: {
        int index = active(a, type);
        if (index != active(b, type) || !Objects.equals(discriminator(a), discriminator(b))) return false;
        return index < 0 || same(member(a, type, index), member(b, type, index), type.member_type(index));
      }
      case TCKind._tk_enum:
        return number(a) == number(b);
      default:
        return a.equals(b);
    }
  }

  /** A random value; sequences end at a depth. */
  static Object sample(Class<?> mapped, TypeCode alias, Random random, int depth) throws Exception {
    TypeCode type = resolved(alias);
    switch (type.kind().value()) {
      case TCKind._tk_boolean:
        return random.nextBoolean();
      case TCKind._tk_char:
        return (char) ('A' + random.nextInt(50));
      case TCKind._tk_wchar:
        return (char) (0x4e00 + random.nextInt(1000));
      case TCKind._tk_octet:
        return (byte) random.nextInt();
      case TCKind._tk_short:
      case TCKind._tk_ushort:
        return (short) random.nextInt();
      case TCKind._tk_long:
      case TCKind._tk_ulong:
        return random.nextInt();
      case TCKind._tk_longlong:
      case TCKind._tk_ulonglong:
        return random.nextLong();
      case TCKind._tk_float:
        return random.nextFloat();
      case TCKind._tk_double:
        return random.nextDouble();
      case TCKind._tk_string:
        return text(random, 'a', 26);
      case TCKind._tk_wstring:
        return text(random, 0x4e00, 1000);
      case TCKind._tk_enum:
        return enumerator(mapped, random.nextInt(type.member_count()));
      case TCKind._tk_sequence:
        return sampleElements(mapped, type, random, depth > 3 ? 0 : random.nextInt(4), depth);
      case TCKind._tk_array:
        return sampleElements(mapped, type, random, type.length(), depth);
      case TCKind._tk_struct: {
        Object result = mapped.getConstructor().newInstance();
        List<Field> members = fields(mapped);
        for (int i = 0; i < members.size(); ++i) {
          Field member = members.get(i);
          member.set(result, sample(member.getType(), type.member_type(i), random, depth + 1));
        }
        return result;
      }
      case TCKind._tk_union: {
        int index = random.nextInt(type.member_count());
        Method set = setter(mapped, type.member_name(index), 1);
        Object result = mapped.getConstructor().newInstance();
        set.invoke(result, sample(set.getParameterTypes()[0], type.member_type(index), random, depth + 1));
        return result;
      }
      default:
        throw new IllegalArgumentException("no samples of kind " + type.kind().value());
    }
  }

  private static String text(Random random, int first, int count) {
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(9); i > 0; --i) text.append((char) (first + random.nextInt(count)));
    return text.toString();
  }

  private static Object sampleElements(Class<?> mapped, TypeCode type, Random random, int length, int depth)
      throws Exception {
    Object result = Array.newInstance(mapped.getComponentType(), length);
    TypeCode element = elementType(type, mapped.getComponentType());
    for (int i = 0; i < length; ++i) {
      Array.set(result, i, sample(mapped.getComponentType(), element, random, depth + 1));
    }
    return result;
  }
}
