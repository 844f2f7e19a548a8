"""Trip counts and iterations of Python loops, against what the code itself counts. Needs no TensorFlow."""

from __future__ import annotations

import linecache
import sys
import textwrap
from collections.abc import Callable

import pytest

from explorer.capture.python_loops import LoopTracer

FILE = "program_under_test.py"


def traced(source: str, *, known_source: bool = True) -> tuple[dict[str, list[int]], list[str]]:
    """Run ``main`` of ``source``; trips per path of loops that saw a ``note``, and where each note was made."""
    text = textwrap.dedent(source)
    file = FILE if known_source else "unreadable_program.py"
    if known_source:
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    notes: list[tuple] = []
    tracer = LoopTracer(lambda name: name == file)

    def note(value: object = None) -> object:
        notes.append((value, tracer.here(sys._getframe(1))))
        return value

    space: dict[str, Callable] = {"note": note}
    exec(compile(text, file, "exec"), space)
    with tracer:
        space["main"]()
    held = {run.path[: k + 1] for _, turns in notes for run, _ in turns for k in range(len(run.path))}
    trips: dict[str, list[int]] = {}
    for path in tracer.runs:
        if path in held:
            trips.setdefault("/".join(f"{s.kind}{s.line}" for s in path), []).extend(tracer.runs[path])
    return trips, [
        f"{'' if value is None else value}@" + ",".join(f"{run.site.kind}{run.site.line}:{turn}" for run, turn in turns)
        for value, turns in notes
    ]


def test_nested_loops_in_one_function():
    trips, notes = traced("""\
        def main():
            for a in range(2):
                for b in range(3):
                    note()
                note()
            note()
        """)
    assert trips == {"for2": [2], "for2/for3": [3, 3]}
    assert notes[:5] == ["@for2:0,for3:0", "@for2:0,for3:1", "@for2:0,for3:2", "@for2:0", "@for2:1,for3:0"]
    assert notes[-1] == "@"


def test_runs_without_an_iteration_count():
    trips, _ = traced("""\
        def main():
            for n in (2, 0, 1):
                for b in range(n):
                    note()
        """)
    assert trips == {"for2": [3], "for2/for3": [2, 0, 1]}


def test_a_loop_that_notes_nothing_is_left_out():
    trips, _ = traced("""\
        def main():
            for a in range(5):
                a += 1
            for b in range(2):
                note()
        """)
    assert trips == {"for4": [2]}


def test_continue_break_and_else():
    trips, notes = traced("""\
        def main():
            for a in range(6):
                if a == 1:
                    continue
                if a == 4:
                    break
                note(a)
            else:
                note("else")
            for a in range(2):
                note(a)
            else:
                note("else")
        """)
    assert trips == {"for2": [5], "for10": [2]}
    assert notes == ["0@for2:0", "2@for2:2", "3@for2:3", "0@for10:0", "1@for10:1", "else@"]


def test_early_return_and_exceptions():
    trips, notes = traced("""\
        def early():
            for a in range(9):
                note(a)
                if a == 2:
                    return
        def fails():
            for a in range(9):
                for b in range(9):
                    if b == 1:
                        raise KeyError
                    note()
        def main():
            early()
            try:
                fails()
            except KeyError:
                note("after")
            for a in range(3):
                try:
                    note(1 // (a - 1))
                except ZeroDivisionError:
                    continue
        """)
    assert trips == {"for2": [3], "for7": [1], "for7/for8": [2], "for18": [3]}
    assert "after@" in notes
    assert notes[-1] == "1@for18:2"


def test_while_loops():
    trips, notes = traced("""\
        def test(n):
            note("t")
            return n < 2
        def main():
            n = 0
            while test(n):
                note(n)
                n += 1
            while True:
                while n < 5:
                    n += 1
                    if n == 4:
                        continue
                    note(n)
                if n > 6:
                    break
                n += 2
                note(n)
        """)
    assert trips == {"while6": [2], "while9": [2], "while9/while10": [3, 0]}
    assert notes == [
        *("t@while6:0", "0@while6:0", "t@while6:1", "1@while6:1", "t@while6:2"),
        *("3@while9:0,while10:0", "5@while9:0,while10:2", "7@while9:0"),
    ]


def test_one_line_loops():
    trips, notes = traced("""\
        def main():
            n = 0
            for a in range(3): note(a)
            while n < 2: note(n); n += 1
            while n > 0: n -= 1; note(n); continue
            for a in range(9): note(a); break
            for a in (): note(a)
            for a in range(2): [note(b) for b in range(a)]
        """)
    assert trips["for3"] == [3]
    assert trips["while4"] == [2]
    assert trips["while5"] == [2] if sys.version_info >= (3, 11) else trips["while5"]
    assert trips["for6"] == [1]
    assert "for7" not in trips
    assert trips["for8"] == [2]
    assert trips["for8/for8"] == [0, 1]
    assert notes[:5] == ["0@for3:0", "1@for3:1", "2@for3:2", "0@while4:0", "1@while4:1"]
    assert notes[-1] == "0@for8:1,for8:0"


def test_comprehensions_and_generator_expressions():
    trips, notes = traced("""\
        def main():
            for a in range(2):
                [note(b) for b in range(3) if b != 1]
                sum(note(b)
                    for b in range(2))
            {note(c): note(d) for c in range(2) for d in range(c)}
            for x in [note(y) for y in range(2)]:
                note(x)
        """)
    assert trips["for2"] == [2]
    assert trips["for2/for3"] == [3, 3]
    generator = next(path for path in trips if path.startswith("for2/") and path != "for2/for3")
    assert trips[generator] == [2, 2]
    assert trips["for6"] == [2]
    assert trips["for6/for6"] == [0, 1]
    assert trips["for7"] == [2, 2]
    assert notes[:4] == [
        "0@for2:0,for3:0",
        "2@for2:0,for3:2",
        f"0@for2:0,{generator[5:]}:0",
        f"1@for2:0,{generator[5:]}:1",
    ]
    assert notes[-4:] == ["0@for7:0", "1@for7:1", "0@for7:0", "1@for7:1"]


def test_calls_between_loops_and_recursion():
    trips, notes = traced("""\
        def inner(n):
            for b in range(n):
                note()
        def deep(n):
            for a in range(n):
                note(n)
                deep(n - 1)
        def main():
            for a in (1, 2):
                inner(a)
                inner(0)
            inner(1)
            deep(2)
        """)
    assert trips["for9"] == [2]
    assert trips["for9/for2"] == [1, 0, 2, 0]
    assert trips["for2"] == [1]
    assert trips["for5"] == [2]
    assert trips["for5/for5"] == [1, 1]
    assert notes[3] == "@for2:0"
    assert notes[4:8] == ["2@for5:0", "1@for5:0,for5:0", "2@for5:1", "1@for5:1,for5:0"]


def test_generators_keep_their_own_count():
    trips, notes = traced("""\
        def numbers(n):
            for a in range(n):
                note(a)
                yield a
        def main():
            one, two = numbers(3), numbers(2)
            next(one)
            next(two)
            next(one)
            for x in numbers(2):
                note("x")
        """)
    assert notes[:3] == ["0@for2:0", "0@for2:0", "1@for2:1"]
    assert trips["for2"] == [2, 1]
    assert trips["for10"] == [2]
    assert trips["for10/for2"] == [2]
    assert notes[3:] == ["0@for10:0,for2:0", "x@for10:0", "1@for10:1,for2:1", "x@for10:1"]


def test_headers_of_several_lines_and_decorated_bodies():
    trips, notes = traced("""\
        def main():
            for a, b in zip(
                range(3),
                (note("head"), 1, 2),
            ):
                @note
                def f():
                    pass
            while (
                a < 4
                and b
            ):
                a += 1
                note(a)
        """)
    assert trips == {"for2": [3], "while9": [2]}
    assert notes[0] == "head@"
    assert [n.split("@")[-1] for n in notes[1:4]] == ["for2:0", "for2:1", "for2:2"]
    assert notes[-1] == "4@while9:1"


def test_loops_inside_with_and_finally():
    trips, notes = traced("""\
        import contextlib
        def main():
            for a in range(2):
                with contextlib.suppress(ValueError):
                    for b in range(5):
                        note()
                        if b == 1:
                            raise ValueError
                note("out")
                try:
                    pass
                finally:
                    for c in range(2):
                        note("f")
        """)
    assert trips == {"for3": [2], "for3/for5": [2, 2], "for3/for13": [2, 2]}
    assert [n for n in notes if n.startswith("out")] == ["out@for3:0", "out@for3:1"]
    assert [n for n in notes if n.startswith("f@")][-1] == "f@for3:1,for13:1"


def test_source_that_cannot_be_read_still_counts_for_loops():
    trips, notes = traced(
        """\
        def main():
            for a in range(2):
                for b in range(a):
                    note()
        """,
        known_source=False,
    )
    assert sorted(trips.values()) == [[0, 1], [2]]
    assert notes[0].count(":") == 2


def test_loops_of_the_frame_that_starts_tracing():
    notes = []
    tracer = LoopTracer(lambda name: name == __file__)
    with tracer:
        for _ in range(2):
            for b in range(3):
                here = tracer.here(sys._getframe())
                notes.append(here if b >= 0 else ())
        made = [tracer.here(sys._getframe())[-1:] for _ in range(1)]
    assert [[turn for _, turn in turns] for turns in notes] == [[a, b] for a in range(2) for b in range(3)]
    assert [list(runs) for path, runs in tracer.runs.items() if len(path) == 2] == [[3, 3]]
    assert made[0][0][1] == 0
    assert sys.gettrace() is None or not isinstance(sys.gettrace(), type(tracer._called))


def test_a_frame_can_be_announced_as_a_loop():
    from explorer.capture.loop_sites import LoopSite

    site = LoopSite("tensorflow", "", 0, "", (0, 0), (0, 0), "map_fn")
    tracer = LoopTracer(lambda name: name == __file__)
    seen = []

    def body() -> None:
        seen.append([(run.site.kind, turn) for run, turn in tracer.here(sys._getframe())])

    with tracer:
        for _ in range(2):
            with tracer.announce(sys._getframe(), site) as run:
                for _ in range(2):
                    run.begin()
                    body()
    assert [list(counts) for path, counts in tracer.runs.items() if path[-1] is site] == [[2, 2]]
    assert any(("tensorflow", 1) in turns for turns in seen)


def test_tracing_is_put_back_after_an_exception():
    before = sys.gettrace()
    with pytest.raises(ValueError, match="mine"), LoopTracer(lambda name: True):
        raise ValueError("mine")
    assert sys.gettrace() is before


@pytest.mark.parametrize("seed", range(20))
def test_random_nests_against_counters(seed):
    import random

    rng = random.Random(seed)
    lines, expected_depth = ["def main():"], []

    def block(depth: int, indent: str) -> None:
        for _ in range(rng.randint(1, 2)):
            name, trips = f"v{len(lines)}", rng.randint(0, 3)
            if rng.random() < 0.5:
                lines.append(f"{indent}for {name} in range({trips}):")
                stack.append(name)
                head: list[str] = []
            else:
                lines.append(f"{indent}{name} = -1")
                lines.append(f"{indent}while {name} < {trips - 1}:")
                stack.append(name)
                head = [f"{indent}    {name} += 1"]
            lines.extend(head)
            if depth < 3 and rng.random() < 0.7:
                block(depth + 1, indent + "    ")
            if rng.random() < 0.4:
                lines.append(f"{indent}    if {name} == 1:")
                lines.append(f"{indent}        {rng.choice(['continue', 'break'])}")
            lines.append(f"{indent}    note(({', '.join(stack)},))")
            stack.pop()

    stack: list[str] = []
    block(0, "    ")
    _, notes = traced("\n".join(lines) + "\n")
    expected_depth.extend(notes)
    for entry in notes:
        value, _, places = entry.rpartition("@")
        assert [int(place.split(":")[1]) for place in places.split(",")] == list(eval(value))
