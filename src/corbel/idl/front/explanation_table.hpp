// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "corbel/idl/front/explanations.hpp"

/// Data of explanations.cpp alone: what each diagnostic means, by number.
namespace corbel::idl::front {

inline constexpr auto kExplanations = std::to_array<Explanation>({
    {Id::invalid_character, "character without meaning",
     "Outside comments and literals IDL is written in ASCII letters, digits and punctuation. Identifiers have no "
     "accents.",
     "typedef long Café;"},
    {Id::unterminated, "comment or literal never closed",
     "A comment ends in */, a literal at the quote it began with, on the same line.", "/* never closed"},
    {Id::unknown_escape, "unknown escape sequence",
     "A backslash introduces n t v b r f a \\ ? ' \", up to three octal digits, x and two hexadecimal digits, or, in "
     "wide "
     "literals, u and four. Anything else is taken as the character itself.",
     "const char c = '\\q';"},
    {Id::bad_character_literal, "malformed character",
     "A character literal holds exactly one character, an octal escape fits in one octet, and \\u is for wide "
     "literals.",
     "const char c = 'ab';"},
    {Id::nul_in_string, "NUL in a string",
     "CORBA strings end at the first NUL, so a string constant cannot contain one.", "const string s = \"a\\0b\";"},
    {Id::bad_number, "malformed number",
     "An integer is decimal, octal (leading 0) or hexadecimal (leading 0x) and fits in 64 bits; a floating-point "
     "number fits "
     "in long double; a fixed-point number has at most 31 digits before the point and no exponent.",
     "const long l = 09;"},
    {Id::bad_identifier, "malformed identifier",
     "An identifier begins with a letter. One underscore before it is dropped and allows keywords to be used as names; "
     "a "
     "second one is not allowed.",
     "typedef long __x;"},
    {Id::keyword_case, "keyword in the wrong case",
     "Names that differ from a keyword only in case are reserved. Write the keyword exactly, or escape the name: "
     "_Interface.",
     "typedef long Interface;"},
    {Id::later_keyword, "keyword of later IDL used as a name",
     "CORBA 3 or IDL 4 reserves this word. It is accepted as a name, but other compilers may refuse it; an underscore "
     "before "
     "it makes it safe. With --idl=3, words that only IDL 4 reserves are plain names.",
     "typedef long map;"},
    {Id::mixed_literals, "narrow and wide literals side by side",
     "String literals that follow each other are joined, which needs all of them narrow or all of them wide.",
     "const string s = \"a\" L\"b\";"},
    {Id::lower_case_boolean, "boolean literal in lower case",
     "The literals are TRUE and FALSE. Lower case is accepted, since much IDL writes it, but other compilers may "
     "refuse "
     "it.",
     "const boolean b = true;"},
    {Id::expected, "syntax error",
     "The text does not follow the grammar. The compiler goes on behind the next ';' or before the next '}'.",
     "interface I { void f(in long a,); };"},
    {Id::expected_semicolon, "missing ';'", "Every definition and every member ends in a semicolon, also after '}'.",
     "struct S { long a; }"},
    {Id::too_deep, "nested too deeply",
     "Definitions, types or expressions nest more than 200 levels deep, or a type is made of types more than 400 deep.",
     ""},
    {Id::empty_body, "nothing where something must be",
     "Modules, unions, enums and bitmasks have at least one element; so have structs unless IDL 4 is on.",
     "enum E { };"},
    {Id::bad_type, "not a type", "A type is expected here. 'unsigned' goes with short, long and long long only.",
     "struct S { unsigned octet a; };"},
    {Id::anonymous_type, "anonymous type where a name is needed",
     "Parameters, results and attributes are of named types (or strings): give the sequence, array, map or fixed type "
     "a name "
     "with typedef first.",
     "interface I { void f(in sequence<long> s); };"},
    {Id::missing_direction, "parameter without direction", "Each parameter begins with in, out or inout.",
     "interface I { void f(long a); };"},
    {Id::attribute_clauses, "wrong exception clause of an attribute",
     "A readonly attribute takes raises(...), a writable one getraises(...) and then setraises(...), and only an "
     "attribute "
     "that is declared alone takes either.",
     "exception E {}; interface I { readonly attribute long a setraises(E); };"},
    {Id::stray_directive, "preprocessor directive left over",
     "Preprocessed text holds no directives but line markers and pragmas. Compile the original file.", ""},
    {Id::late_import, "import after a definition", "With --idl=3, imports come before all definitions.", ""},
    {Id::empty_struct, "struct without members", "Only IDL 4 allows it: compilers of CORBA 3 refuse such a file.",
     "struct S { };"},
    {Id::template_place, "template where none can be",
     "A template module cannot be part of another one, nor be opened again, and 'alias' stands in template modules "
     "only, "
     "which hand their own parameters on: 'alias Other<T, n> Name;'. Elsewhere 'module Other<long, 5> Name;' makes an "
     "instance.",
     "module M<typename T> { typedef T U; }; alias M<long> N;"},
    {Id::redefinition, "name declared twice",
     "A scope declares each name once, whatever it names. Enumerators belong to the scope around their enum. Only "
     "modules "
     "may be opened again.",
     "typedef long T; typedef short T;"},
    {Id::case_clash, "names that differ only in case",
     "IDL is mapped to languages that do not tell case apart, so two names of one scope may not differ in case only.",
     "const long Foo = 1; const long foo = 2;"},
    {Id::case_use, "name written in another case", "A name is used exactly as it was declared.",
     "typedef long Foo; struct S { foo x; };"},
    {Id::undeclared, "name not declared", "IDL declares before it uses. Check the spelling and the #include.",
     "struct S { Nope x; };"},
    {Id::wrong_kind, "name of something else",
     "The name is declared, but as something that cannot stand here. Lookup ends at the first declaration found.",
     "struct S { long a; }; interface I { void f() raises (S); };"},
    {Id::introduced_clash, "name already used in this scope",
     "Using a name from outside brings it into the scope, and the scope cannot then declare that name, even in another "
     "case. "
     "Rename it, or write ::Name where it is used.",
     "typedef long T; struct S { T t; };"},
    {Id::enclosing_name, "name of the enclosing scope",
     "A direct member of a module, interface, valuetype, struct, union or exception cannot have its name.",
     "interface I { void I(); };"},
    {Id::ambiguous, "ambiguous inherited name",
     "Two bases declare different types or constants of this name. Say which: Base::Name.",
     "interface A { typedef long T; }; interface B { typedef short T; };\ninterface C : A, B { attribute T x; };"},
    {Id::inherited_redefinition, "inherited name declared again",
     "Operations and attributes of a base, members of a base struct and state of a base valuetype cannot be declared "
     "again; "
     "there is no overloading.",
     "interface A { void f(); }; interface B : A { void f(); };"},
    {Id::not_a_scope, "not a scope",
     "The name before '::' holds no declarations. Enumerators belong to the scope around their enum: write M::red, not "
     "M::Color::red.",
     "enum E {a}; const E c = E::a;"},
    {Id::never_defined, "used but never defined",
     "A forward declaration that is used must be followed by the definition in the same file, or it is superfluous as "
     "a "
     "file with the definition is included: how a struct, union, valuetype or abstract interface is sent depends on "
     "it. "
     "A file that includes the one with the declaration cannot define it. Of other interfaces a declaration will do.",
     "struct S; typedef sequence<S> SS;"},
    {Id::forward_unused, "forward declared only",
     "The forward declaration is not followed by a definition. References to the interface can be passed on; calling "
     "it "
     "takes the file that defines it.",
     "interface F;"},
    {Id::inherited_clash, "bases that do not go together",
     "Two bases bring different operations, attributes or members of one name, and the derived declaration can have "
     "one only.",
     "interface A { void f(); }; interface B { void f(); };\ninterface C : A, B {};"},
    {Id::duplicate_base, "base listed twice", "A direct base is listed once. Reaching it on several ways is fine.",
     "interface A {}; interface B : A, A {};"},
    {Id::incomplete, "used before its definition",
     "Inheriting from a declaration, or holding one by value, needs its definition before. A sequence of it does not.",
     "interface F; interface G : F {};"},
    {Id::too_many_bases, "too many bases", "More than 200 direct and indirect bases.", ""},
    {Id::modifiers_differ, "declared differently before",
     "'abstract' and 'local' are the same in all declarations of one interface or valuetype, the forward ones "
     "included. "
     "'custom' belongs to the definition only.",
     "local interface L; interface L {};"},
    {Id::included_twice, "file without an include guard",
     "A file that several others include declares everything again each time. Begin it with '#pragma once', or with "
     "'#ifndef NAME_IDL', '#define NAME_IDL' and end it with '#endif'.",
     ""},
    {Id::nearly_enclosing_name, "name of the enclosing structure in another case",
     "A member of a struct, union or exception should not have its name, whatever the case: other compilers may refuse "
     "it. The OMG's own Security.idl has such a member.",
     "struct Right { string right; };"},
    {Id::recursion, "type that contains itself",
     "A struct or union can contain itself only through a sequence, a map or a valuetype.", "struct S { S other; };"},
    {Id::recursive_anonymous, "anonymous sequence in a recursive type",
     "Deprecated. Declare the struct, name the sequence with typedef, then define the struct:\n"
     "struct S; typedef sequence<S> SSeq; struct S { SSeq kids; };",
     "struct S { sequence<S> kids; };"},
    {Id::exception_as_type, "exception used as a type", "Exceptions are raised; they are not types of anything.",
     "exception E {long a;}; struct S { E member; };"},
    {Id::void_misuse, "void in the wrong place", "'void' says that an operation has no result; it is no type of data.",
     "struct S { void a; };"},
    {Id::not_positive, "not a positive number", "Bounds and array sizes are at least 1.", "typedef long A[0];"},
    {Id::bad_discriminator, "impossible discriminator",
     "A union is switched by an integer, octet, char, wchar, boolean or enum.",
     "union U switch(float) { case 1.0: long x; };"},
    {Id::duplicate_label, "label used twice", "Each label selects one member.",
     "union U switch(long) { case 1: long a; case 1: short b; };"},
    {Id::duplicate_default, "second default", "A union has at most one default member.",
     "union U switch(long) { default: long a; default: short b; };"},
    {Id::superfluous_default, "default that nothing can select",
     "The labels name all values of the discriminator, so the default member could never be there.",
     "union U switch(boolean) { case TRUE: long x; case FALSE: short y; default: char z; };"},
    {Id::bad_map_key, "type that cannot be a key",
     "Keys of a map are numbers, characters, booleans, strings, fixed or enums: types with one order everywhere.",
     "typedef map<any, long> M;"},
    {Id::bad_fixed, "impossible fixed type", "fixed<digits, scale> has 1 to 31 digits, of which 0 to all are decimals.",
     "typedef fixed<2,4> F;"},
    {Id::bad_bits, "bits that do not fit",
     "A bitfield has 1 to 64 bits and fits its type, a bitset has 64 bits at most with those of its base, flags have "
     "different positions below the mask's bound, and enumerators fit in the enum's bits.",
     "bitset B { bitfield<65> a; };"},
    {Id::native_misuse, "native type in data",
     "What a native type is, only the language mapping knows: it may be a parameter, a result or a member of an "
     "exception, "
     "never data.",
     "native N; struct S { N handle; };"},
    {Id::local_misuse, "local interface in a remote operation",
     "References to local objects cannot leave their process. Make the interface that uses them local too.",
     "local interface L {}; interface R { void f(in L obj); };"},
    {Id::native_remote, "native type in a remote operation",
     "A native value cannot be sent, so the operation can only be called within one process. Make the interface local.",
     "native N; interface I { void f(in N handle); };"},
    {Id::bad_box, "impossible boxed valuetype",
     "A box gives value semantics to a type that is no valuetype: it cannot hold one, and is neither abstract nor "
     "custom.",
     "valuetype B long; valuetype C B;"},
    {Id::bad_value_base, "bases of a valuetype in the wrong order",
     "A valuetype has at most one base with state, which comes first; an abstract valuetype has none.",
     "valuetype A {public long p;}; valuetype B {public long q;}; valuetype V : A, B {};"},
    {Id::bad_truncatable, "'truncatable' in the wrong place",
     "A value can be truncated to its concrete base only, and a custom one not at all: nobody else knows its wire "
     "format.",
     "abstract valuetype A {}; valuetype V : truncatable A {};"},
    {Id::abstract_value_content, "state or factory in an abstract valuetype",
     "Abstract valuetypes have operations only.", "abstract valuetype V { public long a; };"},
    {Id::bad_supports, "too many supported interfaces",
     "A valuetype supports at most one interface that is not abstract, listed first.",
     "interface A{}; interface B{}; valuetype V supports A, B {};"},
    {Id::bad_interface_base, "base of the wrong sort",
     "An abstract interface inherits abstract ones only; a local interface can be inherited by local ones only.",
     "local interface L {}; interface R : L {};"},
    {Id::template_argument, "argument that does not fit a template",
     "A template module is given as many arguments as it has parameters, each of the sort that the parameter asks for: "
     "a "
     "type, an interface, a sequence, the value of a constant.",
     "module M<interface I> { typedef I J; }; module M<long> N;"},
    {Id::local_missing, "'local' is missing",
     "IDL had no 'local' before CORBA 2.4, and older files derive interfaces without it from CORBA::Current and other "
     "interfaces of module CORBA, which are local by now. So are those; say so.",
     "#pragma prefix \"omg.org\"\nmodule CORBA { local interface Current {}; };\ninterface Mine : CORBA::Current {};"},
    {Id::oneway_result, "oneway operation with a result",
     "Nobody waits for the result of a oneway operation: it is void.", "interface I { oneway long f(); };"},
    {Id::oneway_parameter, "oneway operation that gives something back", "Nothing comes back: all parameters are 'in'.",
     "interface I { oneway void f(out long a); };"},
    {Id::oneway_raises, "oneway operation that raises", "No exception can come back from a oneway operation.",
     "exception E {}; interface I { oneway void f() raises (E); };"},
    {Id::duplicate_raises, "exception listed twice", "List each exception once.",
     "exception E {}; interface I { void f() raises (E, E); };"},
    {Id::factory_parameter, "factory that gives something back", "Parameters of a factory are 'in'.",
     "valuetype V { factory f(out long a); };"},
    {Id::bad_context, "malformed context name",
     "The names in a context clause begin with a letter, go on with letters, digits, '.' and '_', and may end in '*'.",
     "interface I { void f() context(\"1A\"); };"},
    {Id::bad_constant_type, "type without constants",
     "Constants are of integer, floating-point, fixed, character, boolean, string or enum type.", "const any a = 1;"},
    {Id::out_of_range, "value outside its type", "The value of the expression does not fit in the type it is for.",
     "const octet o = 256;"},
    {Id::type_mismatch, "value of another kind",
     "IDL converts nothing: 1 is no float (write 1.0), no boolean (TRUE) and no fixed (1d); wide text begins with L.",
     "const float f = 1;"},
    {Id::division_by_zero, "division by zero", "The expression divides by zero.", "const long l = 1/0;"},
    {Id::overflow, "result too large",
     "A result on the way does not fit: 64 bits, the range of long double, or 31 digits.",
     "const long long l = 9223372036854775807 * 3;"},
    {Id::bad_shift, "impossible shift", "Values are shifted by 0 to 63 bits.", "const long l = 1 << 64;"},
    {Id::too_long, "text longer than its bound", "The text has more characters than its bounded string type allows.",
     "const string<2> s = \"abc\";"},
    {Id::mixed_operands, "operands of different kinds",
     "Both operands are integers, or floating-point, or fixed-point: write 1.0 or 1d instead of 1.",
     "const double d = 1.5 + 1;"},
    {Id::bad_pragma, "malformed pragma or prefix",
     "#pragma prefix \"text\", #pragma version name 1.2, #pragma ID name \"format:text\". A prefix is made of letters, "
     "digits, "
     "'.', '-', '_' and inner '/'.",
     "#pragma prefix unquoted"},
    {Id::id_conflict, "repository id set twice",
     "A declaration has one repository id. Pragmas, typeid and typeprefix may not disagree about it.",
     "interface I {};\n#pragma ID I \"IDL:a:1.0\"\n#pragma ID I \"IDL:b:1.0\""},
    {Id::prefix_differs, "two repository ids for one thing",
     "Forward declaration and definition are under one prefix. An included file begins without prefix and cannot "
     "change "
     "the includer's.",
     "#pragma prefix \"a\"\ninterface I;\n#pragma prefix \"b\"\ninterface I {};"},
    {Id::odd_repository_id, "unusual repository id",
     "Repository ids look like IDL:path/name:1.0, or begin with another format and a colon.",
     "interface I {};\n#pragma ID I \"nonsense\""},
    {Id::misplaced_identity, "typeprefix of what is no scope",
     "'typeprefix' names a module, an interface or a valuetype.", "typedef long T; typeprefix T \"x\";"},
    {Id::module_prefix_differs, "module opened again under another prefix",
     "The module keeps the repository id of its first opening. What is declared in the second one has the prefix in "
     "force "
     "there. If that is not meant, set the same prefix before all openings, in each file.",
     "module M { typedef long A; };\n#pragma prefix \"x.org\"\nmodule M { typedef long B; };"},
    {Id::unsupported, "construct that is not supported",
     "Components, homes, event types, ports and connectors are recognised, but Corbel does not "
     "compile them. "
     "The rest of the file is checked.",
     "component C {};"},
    {Id::needs_idl4, "only IDL 4 has this", "The file is compiled with --idl=3. Compile with --idl=4 (the default).",
     ""},
    {Id::unknown_annotation, "unknown annotation",
     "The annotation is neither one of the standard nor declared with @annotation. It is ignored.",
     "@topic struct S { long a; };"},
    {Id::annotation_place, "annotation in the wrong place", "The annotation says nothing about what it stands before.",
     "@optional struct S { long a; };"},
    {Id::annotation_argument, "wrong parameter of an annotation",
     "A parameter is missing, unknown, given twice, or its value is of the wrong kind or outside its range.",
     "@bit_bound(65) bitmask F { a };"},
    {Id::annotation_conflict, "annotations that contradict each other",
     "The same is said twice, or two things that exclude each other; or two members of a type have the same id, "
     "whether it was written (@id), counted or made of the name (@autoid(HASH), @hashid).",
     "struct S { @key @optional long a; };"},
    {Id::preprocessor_error, "error of the preprocessor", "The message is that of the C preprocessor.", "#error stop"},
    {Id::preprocessor_warning, "warning of the preprocessor", "The message is that of the C preprocessor.", ""},
    {Id::cannot_read, "file that cannot be read",
     "The file does not exist where #include is searched (-I), or may not be read.", "#include \"nope.idl\""},
    {Id::too_large, "file or line too large",
     "More than 16 MiB of text after preprocessing; a line of more than 65,533 octets, with what \"\\\" joins to it "
     "and the "
     "comment that ends in it; or an identifier of more than 1023 octets.",
     ""},
    {Id::too_complex, "too much for one file",
     "Interfaces of the file inherit more than half a million declarations together, or there are more than 200,000 "
     "annotations, counted once for each name that they stand before; or an array has more than 64 dimensions.",
     ""},
    {Id::too_many_errors, "too many errors", "Only the first errors are shown: what follows often comes from them.",
     ""},
});

}  // namespace corbel::idl::front
