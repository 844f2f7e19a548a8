"""The words of the command line. Every option of the contract is accepted here, so that scripts can rely on them.

Values stay words here: what they may be is decided where the app's words are read too (explorer.strategies.parse).
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import NoReturn

from explorer.export.kinds import PICTURES, is_heat
from explorer.model.case import WAYS, BadInput, Case

WRITES = (".png", ".svg", ".pdf", ".html", ".dot", ".graphml", ".json")
TABLES = (".csv", ".json", ".png", ".svg", ".pdf")
REPORTS = (".html", ".md")


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """One line, not the usage text that argparse prints; the caller knows what to do with bad input."""
        raise BadInput(f"{message[:1].upper()}{message[1:]} (see python -m {self.prog} --help).")


def make_parser() -> argparse.ArgumentParser:
    """The parser of ``strategies``, ``run`` and ``compare``."""
    parser = _Parser(prog="explorer", description="Find where a gradient is lost in TensorFlow loops, and why.")
    commands = parser.add_subparsers(dest="command", metavar="strategies|run|compare")
    strategies = commands.add_parser("strategies", help="list the ways to build the loop", allow_abbrev=False)
    strategies.add_argument("--json", action="store_true", help="as JSON")
    run = commands.add_parser("run", help="explore one target", allow_abbrev=False, epilog=_EXIT_CODES)
    run.add_argument("target", metavar="TARGET", help="a strategy's key, or file.py, file.py:callable, ...")
    _add_options(run)
    compare = commands.add_parser("compare", help="the same model in several strategies", allow_abbrev=False)
    compare.add_argument("strategies", metavar="STRATEGY", nargs="*")
    compare.add_argument("--sweep", metavar="DIM=SIZES", help="time each strategy at other sizes too: time=2,8,32")
    _add_options(compare)
    return parser


_EXIT_CODES = (
    "Exit code: 0 every trainable gradient flows; 1 a finding (none, nan, inf, raised, disagreement); 2 bad usage or "
    "input; 3 the run itself failed (crashed, timed out, out of memory); 130 interrupted."
)


def _add_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--input", metavar="NAME=SHAPE[:DTYPE]", action="append", default=[], help="signature: x=None,None,None,10")
    add("--size", metavar="NAME=SIZES", action="append", default=[], help="sizes for the run: x=3,5,7,10")
    add("--option", metavar="KEY=VALUE", action="append", default=[], help="an option of the target: cell=GRU")
    add("--breaker", metavar="KEY[@LOOP]", help="put a mistake into the sample model: stop_gradient@inner")
    add("--wrt", metavar="NAME", action="append", default=[], help="differentiate with respect to this source only")
    add("--loss", metavar="NAME", help="the output to differentiate")
    add("--device", metavar="auto|cpu|gpu", default=Case.device)
    add("--seed", metavar="N", default=Case.seed)
    add("--timeout", metavar="SECONDS", default=Case.timeout)
    add("--memory", metavar="MB", default=Case.memory)
    add("--way", metavar="|".join(WAYS), action="append", default=[], help="how it is run; several: once per way")
    add("--static-only", action="store_true", help="predict without running")
    add("--strict", action="store_true", help="zero, vanishing and exploding count as findings")
    add("--json", metavar="FILE|-", help="write the result document; - prints it and nothing else")
    add(
        "--export",
        metavar="FILE",
        action="append",
        default=[],
        help=f"write the picture ({', '.join(WRITES)}), with --probe the heat maps too (NAME.heat.svg, NAME.heat.png); "
        f"compare: {', '.join(TABLES)}",
    )
    add("--second-order", action="store_true", help="also the gradient of the gradients' norm")
    add("--check-numbers", action="store_true", help="compare each gradient with finite differences")
    add("--probe", action="store_true", help="watch every iteration of every loop, forward and backward")
    add("--probe-op", metavar="NAME", action="append", default=[], help="watch this op of a loop's body as well")
    add("--report", metavar="FILE", help="write a report with picture, barriers and their lines (.html, .md)")


def refuse_unknown_kinds(chosen: argparse.Namespace) -> None:
    """A file whose name does not tell what to write is refused before anything runs."""
    asked: list[tuple[str, tuple[str, ...]]] = [
        (file, TABLES if chosen.command == "compare" else WRITES) for file in chosen.export
    ]
    asked += [(chosen.report, REPORTS)] if chosen.report else []
    for file, kinds in asked:
        if not file.lower().endswith(kinds):
            raise BadInput(f"Cannot tell the format from {file!r}: end its name in {' or '.join(kinds)}.")
    for file in chosen.export:
        if is_heat(Path(file)):
            _refuse_heat(chosen, file)


def _refuse_heat(chosen: argparse.Namespace, file: str) -> None:
    if chosen.command == "compare":
        raise BadInput(f"{file!r} asks for heat maps, and compare draws none: export them from run.")
    if not (chosen.probe or chosen.probe_op):
        raise BadInput(f"{file!r} asks for heat maps: add --probe, which watches every iteration.")
    if not file.lower().endswith(PICTURES):
        raise BadInput(f"{file!r} asks for heat maps, which are pictures: end its name in .heat.svg or .heat.png.")
