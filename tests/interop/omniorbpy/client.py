# SPDX-License-Identifier: Apache-2.0
"""The omniORBpy client of the interoperability suite: the checks of the C++ client, by the same names."""
import contexts
import Interop
from client_checks import check_failures, check_references, check_traffic, raised_by
from omniORB import CORBA
from program import Report, callback_poa, init_orb, parse_arguments, require
from shapes import Samples, same, swapped_case, twist
from suite_servant import constants_text, mixed_text

WIDE = {"echo_wchar", "echo_wstring", "echo_bounded_wstring", "echo_wchar_seq", "echo_wstring_seq", "echo_wides", "echo_wide_union"}
REFERENCES = {"echo_node", "echo_object", "echo_node_seq", "echo_link"}  # which have checks of their own
SEEDS = 12


class Session:
    """What every check works with."""

    def __init__(self, options):
        self.options, self.report = options, Report(options.filter)
        self.orb = init_orb(options)
        poa = self.orb.resolve_initial_references("RootPOA")
        poa._get_the_POAManager().activate()
        self.suite = self.orb.string_to_object(options.ior)._narrow(Interop.Whole.Suite)
        require(self.suite is not None, "the reference is no Suite")
        self.for_callbacks = callback_poa(self.orb, poa, options)

    def run_wide(self, name, check):
        """A check that moves wide characters: over GIOP 1.0 they cannot pass, and the client must be told so."""
        if self.options.spoken == "1.2":
            self.report.run(name, check)
        elif self.options.spoken == "1.1":
            self.report.skip(name, "omniORB encodes wide data in GIOP 1.1 as if it were 1.2")
        else:
            self.report.run(name, lambda: raised_by((CORBA.MARSHAL, CORBA.INV_OBJREF), check))


def echo(session, name, a, b):
    """One call of echo_T, and the verdict on its three results."""
    desc = getattr(Interop.Whole.Suite, "_d_" + name)[0][0]
    result, inout, out = getattr(session.suite, name)(a, b)
    require(same(result, a, desc), f"{a!r} came back as {result!r}")
    require(same(inout, a, desc), f"the inout argument is not {a!r} but {inout!r}")
    require(same(out, twist(b, desc), desc), f"{b!r} came out as {out!r}")


def echo_samples(session, name):
    desc = getattr(Interop.Whole.Suite, "_d_" + name)[0][0]
    for seed in range(SEEDS):
        echo(session, name, Samples(seed).value(desc), Samples((seed + 1) % SEEDS).value(desc))


def check_values(session):
    for base in (Interop.Basic, Interop.Sequences, Interop.Constructed):
        for name in sorted(vars(base)):
            if not name.startswith("_d_echo_") or name[3:] in REFERENCES:
                continue
            name = name[3:]
            run = session.run_wide if name in WIDE else session.report.run
            run(name, lambda name=name: echo_samples(session, name))


def check_texts(session):
    run = session.report.run
    if session.options.spoken == "1.1" and session.options.peer == "omniorb":
        session.report.skip("echo_string_large", "omniORB cannot read its own GIOP 1.1 fragments when data follows a long string")
    else:
        run("echo_string_large", lambda: echo(session, "echo_string", "x" * 100000, "short"))
    run("echo_string_latin1", lambda: echo(session, "echo_string", "caf\u00e9", "\u00a3 \u00ff"))
    if session.options.spoken == "1.0":
        session.report.skip("echo_string_unicode", "omniORB knows nothing but ISO 8859-1 where no code sets are negotiated")
    else:
        run("echo_string_unicode", lambda: echo(session, "echo_string", "gr\u00fc\u00dfe \u4e2d \U0001f600", "\u20ac"))
    session.run_wide("echo_wstring_surrogates", lambda: echo(session, "echo_wstring", "\U0001f600!", "\U0001f600"))


def check_code_sets(session):
    run, unicode = session.report.run, session.options.char_set == "UTF-8"
    run("code_set_latin1", lambda: echo(session, "echo_string", "caf\u00e9", "\u00a3 \u00ff"))

    def beyond():
        try:  # Python's strings hold everything: it is up to what was agreed on
            echo(session, "echo_string", "\u20ac \u4e2d", "\U0001f600")
        except CORBA.DATA_CONVERSION:
            require(not unicode, "UTF-8 has it")
            echo(session, "echo_string", "after it", "x")

    run("code_set_beyond", beyond)
    run("code_set_wide", lambda: echo(session, "echo_wstring", "\u20ac \u4e2d", "\u00e9 a"))


def check_contexts(session):
    def answered():
        before = contexts.Counts.answered
        for _ in range(60):
            session.suite.ping()
        raised_by(CORBA.NO_PERMISSION, lambda: session.suite.raise_system("NO_PERMISSION", 1, 1))
        require(contexts.Counts.answered == before + 61 and contexts.Counts.wrong == 0, repr(vars(contexts.Counts)))

    session.report.run("contexts", answered)


def check_basics(session):
    suite, run = session.suite, session.report.run
    run("ping", suite.ping)
    mixed = (7, -2.5, "c", 1 << 40, True, -300, "odd", 100000)
    run("mixed", lambda: require(suite.mixed(*mixed) == mixed_text(*mixed), suite.mixed(*mixed)))
    run("constants", lambda: require(suite.constants() == constants_text(), suite.constants()))

    def attributes():
        for name, value in (("level", -3), ("label", "Label"), ("bin", Interop.BinStruct(1, "c", 2, 3, 0.5)), ("values", [1, 2, 3]),
                            ("shade", Interop.blue), ("flag", True)):
            getattr(suite, "_set_" + name)(value)
            found = getattr(suite, "_get_" + name)()
            require(repr(found) == repr(value) or found == value, f"{name}: {found!r}")
        require(suite._get_ratio() == 0.125 and suite._get_name() == "suite", "what can be read only")

    run("attributes", attributes)

    def words():
        require(suite.delete(12, 3) == 123 and suite.module() == 77, "operations")
        suite._set_template(9)
        require(suite._get_template() == 9, "template")

    run("keywords", words)


def check_large(session):
    suite, run = session.suite, session.report.run
    octets = bytes(i * 31 // 7 & 0xff for i in range(1 << 20))
    run("large_octets", lambda: require(suite.twist_octets(octets) == bytes(o ^ 1 for o in reversed(octets)), "came back different"))
    texts = [f"item {i}" for i in range(100000)]
    run("large_strings", lambda: require(suite.twist_strings(texts) == [swapped_case(t) for t in reversed(texts)], "came back different"))
    bins = [Interop.BinStruct(i % 100, "b", i, i % 256, i / 3) for i in range(10000)]
    desc = Interop.Sequences._d_twist_bins[0][0]
    run("large_bins", lambda: require(same(suite.twist_bins(bins), twist(bins, desc), desc), "came back different"))
    run("large_text", lambda: require(suite.twist_text("T" * (1 << 20)) == "t" * (1 << 20), "came back different"))

    def one_way():
        require(suite.sum_octets(bytes(range(256)) * 4096) == (1 << 20) // 256 * 32640, "sum")
        made = suite.make_octets(1 << 20)
        require(len(made) == 1 << 20 and made[1000003] == (1000003 * 7 + 3) & 0xff, "made")

    run("large_one_way", one_way)

    def beyond_4_mib():
        length = (5 << 20) + 3
        made = suite.make_octets(length)
        require(made == bytes(i * 7 + 3 & 0xff for i in range(256)) * (length // 256) + made[:3], "made")
        require(suite.sum_octets(made) == sum(made), "sum")

    run("beyond_4_mib", beyond_4_mib)

    def boundaries():  # every length around the usual buffer and fragment sizes
        for middle in (1024, 4096, 8192, 16384, 32768, 65536):
            for length in range(middle - 72, middle + 8, 5):
                made = suite.make_octets(length)
                require(len(made) == length and suite.sum_octets(made) == sum(made), f"length {length}")

    run("octet_boundaries", boundaries)


def main():
    session = Session(parse_arguments())
    session.suite.ping()
    check_basics(session)
    check_values(session)
    check_texts(session)
    check_large(session)
    check_failures(session)
    check_references(session)
    check_traffic(session)
    if session.options.char_set:
        check_code_sets(session)
    if session.options.endpoint == "contexts":
        check_contexts(session)
    session.suite.shutdown()
    session.orb.destroy()
    session.report.finish()


main()
