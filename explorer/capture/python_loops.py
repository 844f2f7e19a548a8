"""Which Python loops are running, in which iteration, and how often each of them ran.

``sys.settrace`` in the user's files only: a line event at a loop's header, then one in its body, is a new iteration.
Loops told by instructions (comprehensions, one-line loops) use opcode events up to Python 3.11 and branch events of
``sys.monitoring`` from 3.12 on, where opcode events cannot be had for some frames alone.
Left out: ``async for``, loops on other threads, loops that were already running when tracing began.
"""

from __future__ import annotations

import contextlib
import sys
from array import array
from collections.abc import Callable, Iterator
from types import CodeType, FrameType
from typing import Any

from explorer.capture.loop_sites import CodeLoops, LoopSite, loops_of

Path = tuple[LoopSite, ...]
Tracing = Callable[[FrameType, str, Any], Any]


class Run:
    """One execution of a loop: ``path`` are the loops around it and itself, ``number`` counts the runs of that path."""

    __slots__ = ("at_header", "counts", "number", "path", "site")

    def __init__(self, path: Path, counts: array[int]) -> None:
        self.site, self.path, self.counts, self.number = path[-1], path, counts, len(counts)
        self.at_header = True
        counts.append(0)

    @property
    def trips(self) -> int:
        """Iterations begun so far."""
        return self.counts[self.number]

    def begin(self) -> None:
        """A new iteration."""
        self.counts[self.number] += 1
        self.at_header = False


Turn = tuple[Run, int]
"""A run of a loop and the iteration it is in, counted from 0."""


class LoopTracer:
    """``with LoopTracer(is_user_file) as loops``: then ``loops.here(frame)``, ``loops.runs`` and ``loops.around``.

    ``around`` holds for every run of a path the iterations of the loops around it. ``on_turn`` is called with the
    loop's frame at the beginning of every iteration, ``on_leave`` when a loop ends that is told by lines.
    """

    def __init__(
        self,
        is_user_file: Callable[[str], bool],
        on_turn: Callable[[FrameType, Run], None] | None = None,
        on_leave: Callable[[FrameType, Run], None] | None = None,
    ) -> None:
        self.runs: dict[Path, array[int]] = {}
        self.around: dict[Path, list[tuple[int, ...]]] = {}
        self.on_turn, self.on_leave = on_turn, on_leave
        self._is_user_file = is_user_file
        self._codes: dict[int, tuple[CodeType, CodeLoops | None]] = {}
        self._foreign: set[str] = set()
        self._announced: dict[FrameType, Run] = {}
        self._branches = _Branches(self) if hasattr(sys, "monitoring") else None
        self._touched: list[FrameType] = []
        self._previous: Any = None

    def __enter__(self) -> LoopTracer:
        self._previous = sys.gettrace()
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:  # frames that are running already get no call event
            loops = self._loops_in(frame)
            if loops is not None and frame.f_trace is None:
                frame.f_trace = self._follow(frame, loops)
                self._touched.append(frame)
            frame = frame.f_back
        sys.settrace(self._called)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(self._previous)
        for frame in self._touched:
            frame.f_trace = None
            frame.f_trace_opcodes = False
        self._touched.clear()
        if self._branches is not None:
            self._branches.close()

    def here(self, frame: FrameType | None) -> tuple[Turn, ...]:
        """The loops around a frame's current instruction through all its callers, outermost first."""
        found: list[Turn] = []
        while frame is not None:
            if self._announced and frame in self._announced:
                run = self._announced[frame]
                found.append((run, run.trips if run.at_header else run.trips - 1))
            follower = frame.f_trace
            if isinstance(follower, FrameLoops) and follower.tracer is self:
                found.extend(follower.turns(frame))
            frame = frame.f_back
        found.reverse()
        return tuple(found)

    @contextlib.contextmanager
    def announce(self, frame: FrameType, site: LoopSite) -> Iterator[Run]:
        """Make ``frame`` itself count as a loop, for loops that are not written in the user's files."""
        run = self.start(site, frame.f_back)
        self._announced[frame] = run
        try:
            yield run
        finally:
            del self._announced[frame]

    def rest(self) -> None:
        """Trace no calls until ``resume``, where turning tracing off and on is cheap (not from Python 3.12 on)."""
        if self._branches is None:
            sys.settrace(None)

    def resume(self) -> None:
        """Go on after ``rest``."""
        if self._branches is None:
            sys.settrace(self._called)

    def start(self, site: LoopSite, caller: FrameType | None, around: tuple[Run, ...] = ()) -> Run:
        """A new run of ``site``, inside the runs ``around`` it in its own frame and those of its callers."""
        turns = [*self.here(caller), *((run, run.trips if run.at_header else run.trips - 1) for run in around)]
        path = (*(run.site for run, _ in turns), site)
        self.around.setdefault(path, []).append(tuple(turn for _, turn in turns))
        return Run(path, self.runs.setdefault(path, array("q")))

    def _called(self, frame: FrameType, event: str, _: Any) -> Tracing | None:
        if frame.f_code.co_filename in self._foreign:  # called for every function of TensorFlow, so it must be quick
            return None
        if isinstance(frame.f_trace, FrameLoops) and frame.f_trace.tracer is self:
            return frame.f_trace  # a generator that goes on
        loops = self._loops_in(frame)
        return None if loops is None else self._follow(frame, loops)

    def _loops_in(self, frame: FrameType) -> CodeLoops | None:
        code = frame.f_code
        if not self._is_user_file(code.co_filename):
            self._foreign.add(code.co_filename)
            return None
        known = self._codes.get(id(code))  # hashing a code object is slow, so its id is the key and it is kept alive
        if known is None:
            known = self._codes[id(code)] = (code, loops_of(code))
        return known[1]

    def _follow(self, frame: FrameType, loops: CodeLoops) -> FrameLoops:
        if loops.fine:
            if self._branches is None:
                frame.f_trace_opcodes = True
            else:
                self._branches.watch(frame.f_code)
        return FrameLoops(self, loops)


class FrameLoops:
    """The local trace function of one frame: the loops active in it, outermost first."""

    __slots__ = ("_active", "_last", "_loops", "tracer")

    def __init__(self, tracer: LoopTracer, loops: CodeLoops) -> None:
        self.tracer, self._loops = tracer, loops
        self._active: list[Run] = []
        self._last = -1

    def __call__(self, frame: FrameType, event: str, _: Any) -> FrameLoops:
        if event == "opcode":
            if self._last in self._loops.followed or frame.f_lasti in self._loops.starts:
                self.branch(frame, self._last, frame.f_lasti)
            self._last = frame.f_lasti
        elif event == "line":
            if self._last in self._loops.followed:  # the line event comes before the opcode event of the same place
                self.branch(frame, self._last, frame.f_lasti)
                self._last = -1
            self._line(frame)
        elif event == "return":  # out of the loops it is in, or for the time of a yield
            for run in self._active:
                self._left(frame, run)
        return self

    def _line(self, frame: FrameType) -> None:
        line, active = frame.f_lineno, self._active
        while active and not active[-1].site.lines[0] <= line <= active[-1].site.lines[1]:
            self._left(frame, active.pop())
        for run in active:
            if run.at_header and line > run.site.header[1]:
                self._begin(frame, run)
        site = self._loops.headers.get(line)
        if site is None:
            return
        running = self._run_of(site)
        if running is None:
            self._enter(frame, site)
        else:
            running.at_header = True

    def branch(self, frame: FrameType, source: int, target: int) -> None:
        """Control went from one instruction to another; matters for loops told by instructions."""
        after = self._loops.followed.get(source)
        if after is not None:
            site = self._loops.advances[source]
            run = self._run_of(site) or self._enter(frame, site)
            self._drop_inside(run)
            if target == after:
                self._begin(frame, run)
            else:
                self._active.pop()
        elif target in self._loops.starts:
            site = self._loops.starts[target]
            run = self._run_of(site) or self._enter(frame, site)
            self._drop_inside(run)
            self._begin(frame, run)

    def turns(self, frame: FrameType) -> Iterator[Turn]:
        """The loops of this frame and their iterations, innermost first.

        A ``while`` condition and the step of an iterator count to the iteration they may begin; the iterable itself
        is computed outside.
        """
        advancing = self._loops.advances.get(frame.f_lasti)
        if frame.f_lasti in self._loops.followed and advancing and self._run_of(advancing) is None:
            self._enter(frame, advancing)
        for run in reversed(self._active):
            if run.site is advancing or (run.at_header and run.site.kind == "while"):
                yield run, run.trips
            elif not run.at_header:
                yield run, run.trips - 1

    def _run_of(self, site: LoopSite) -> Run | None:
        return next((run for run in reversed(self._active) if run.site is site), None)

    def _enter(self, frame: FrameType, site: LoopSite) -> Run:
        around = tuple(run for run in self._active if not run.at_header or run.site.kind == "while")
        run = self.tracer.start(site, frame.f_back, around)
        self._active.append(run)
        return run

    def _begin(self, frame: FrameType, run: Run) -> None:
        run.begin()
        if self.tracer.on_turn is not None:
            self.tracer.on_turn(frame, run)

    def _left(self, frame: FrameType, run: Run) -> None:
        if self.tracer.on_leave is not None:
            self.tracer.on_leave(frame, run)

    def _drop_inside(self, run: Run) -> None:
        while self._active[-1] is not run:
            self._active.pop()


class _Branches:
    """Branch events of ``sys.monitoring`` (3.12 on) for single code objects, handed to the frame's ``FrameLoops``."""

    def __init__(self, tracer: LoopTracer) -> None:
        self._tracer = tracer
        self._watched: list[CodeType] = []
        self._tool: int | None = None

    def watch(self, code: CodeType) -> None:
        """Report branches and jumps of ``code`` from now on."""
        monitoring: Any = sys.monitoring  # type: ignore[attr-defined, unused-ignore]
        if self._tool is None:
            self._tool = next(tool for tool in (4, 3, 1, 0) if monitoring.get_tool(tool) is None)
            monitoring.use_tool_id(self._tool, "explorer loops")
            for event in (monitoring.events.BRANCH, monitoring.events.JUMP):
                monitoring.register_callback(self._tool, event, self._went)
        if not any(code is known for known in self._watched):
            monitoring.set_local_events(self._tool, code, monitoring.events.BRANCH | monitoring.events.JUMP)
            self._watched.append(code)

    def close(self) -> None:
        """Stop, and free the tool's place."""
        if self._tool is None:
            return
        monitoring: Any = sys.monitoring  # type: ignore[attr-defined, unused-ignore]
        for code in self._watched:
            monitoring.set_local_events(self._tool, code, 0)
        monitoring.free_tool_id(self._tool)
        self._tool, self._watched = None, []

    def _went(self, code: CodeType, source: int, target: int) -> None:
        frame = sys._getframe(1)
        follower = frame.f_trace
        if isinstance(follower, FrameLoops) and frame.f_code is code:
            follower.branch(frame, source, target)
