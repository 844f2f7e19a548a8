"""A user's words become a Case, or one sentence that says what is wrong and what to write."""

from __future__ import annotations

import pytest

from explorer.model.case import BadInput, Case, InputSpec
from explorer.strategies.catalogue import STRATEGIES, get_strategy
from explorer.strategies.parse import make_case
from explorer.strategies.target import split_target

KEYS = [strategy.key for strategy in STRATEGIES]


@pytest.fixture
def model(tmp_path, monkeypatch):
    """A file of the user's own, in the folder the command is run from."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.py").write_text("def build(): ...\n", encoding="utf-8")
    (tmp_path / "saved").mkdir()
    (tmp_path / "model.keras").write_text("", encoding="utf-8")
    (tmp_path / "notes.txt").write_text("", encoding="utf-8")
    return "model.py"


def spec(case: Case) -> InputSpec:
    (only,) = case.inputs
    return only


@pytest.mark.parametrize("key", KEYS)
def test_a_key_alone_is_a_whole_case(key):
    case, row = make_case(key), get_strategy(key)
    assert case.inputs == (InputSpec("x", row.shape, "float32", (3, 5, 7, 10)),)
    assert case.options == tuple((option.key, option.default) for option in row.options)
    assert case.options[:2] == (("cell", "LSTM"), ("units", 8))
    assert (case.breaker, case.way, case.seed, case.timeout, case.memory) == (None, None, 0, 120.0, 8192)


def test_everything_said_is_kept():
    case = make_case(
        " nested_while_loop ", ["x = [None, 5, None, 12] : float32"], ["x=(2,5,4,12)"], ["units=3", "cell=GRU"],
        "stop_gradient", ["kernel", "x", "kernel"], " loss ", "CPU", "7", "2.5", "1000", "graph", True,
    )  # fmt: skip
    assert case == Case(
        target="nested_while_loop",
        inputs=(InputSpec("x", (None, 5, None, 12), "float32", (2, 5, 4, 12)),),
        options=(
            ("cell", "GRU"), ("units", 3), ("scale", 1.0), ("dtype", "float32"), ("parallel_iterations", 10),
            ("lengths", "full"), ("maximum_iterations", 0),
        ),
        breaker="stop_gradient@inner", wrt=("kernel", "x"), loss="loss", device="cpu", seed=7, timeout=2.5,
        memory=1000, way="graph", static_only=True,
    )  # fmt: skip


def test_what_is_left_out_follows_from_what_is_said():
    assert spec(make_case(KEYS[0], ["x=2,None,4,6"])).size == (2, 5, 4, 6)
    assert spec(make_case(KEYS[0], sizes=["x=2,3,4,6"])).shape == (None, None, None, 6)


BAD = {
    "shape text": ({"inputs": ["x=3,x"]}, "'x' is not a dimension", "x=None,None,None,10"),
    "shape fraction": ({"inputs": ["x=3,5,7,1.5"]}, "'1.5' is not a dimension", "whole number"),
    "shape gap": ({"inputs": ["x=3,,7,10"]}, "an empty place", "x=None,None,None,10"),
    "shape negative": ({"inputs": ["x=-1,5,7,10"]}, "-1 is negative", "None"),
    "features open": ({"inputs": ["x=None,None,None,None"]}, "features must have a size", "x=None,None,None,10"),
    "bound": ({"options": ["maximum_iterations=6"]}, "end before their 7 iterations", "write 7 or more"),
    "mixed": ({"options": ["dtype=mixed_float16"]}, "Unknown value of option dtype", "'float"),
    "place of the tape": ({"breaker": "not_watched@inner"}, "Unknown place 'inner'", "write tape"),
    "way of a breaker": ({"breaker": "not_watched", "way": "tf1"}, "means nothing in the way tf1", "--way eager"),
    "contradiction": (
        {"inputs": ["x=None,None,7,10"], "sizes": ["x=3,5,6,10"]}, "Size 6 for time contradicts", "write 7 in --size",
    ),
    "size zero": ({"sizes": ["x=3,5,0,10"]}, "time is 0", "1 or more"),
    "signature zero": ({"inputs": ["x=None,None,None,0"]}, "features is 0", "1 or more"),
    "size negative": ({"sizes": ["x=3,-5,7,10"]}, "-5 is negative", "x=3,5,7,10"),
    "size open": ({"sizes": ["x=3,None,7,10"]}, "leaves a dimension open", "x=3,5,7,10"),
    "size enormous": ({"sizes": ["x=1000000,100000,1,10"]}, "1,000,000,000,000 elements", "limit of 8,192 MB"),
    "signature enormous": ({"inputs": ["x=1000000,100000,1,10"]}, "1,000,000,000,000 elements", "--memory"),
    "weights enormous": ({"inputs": ["x=1,1,1,1000000"], "options": ["units=4096"]}, "needs at least", "--memory"),
    "digits": ({"sizes": ["x=" + "9" * 5000 + ",1,1,1"]}, "is not a dimension", "..."),
    "rank": ({"inputs": ["x=None,10"]}, "takes 4 dimensions (outer, batch, time, features)", "x=None,None,None,10"),
    "size rank": ({"sizes": ["x=5,10"]}, "takes 4 dimensions (outer, batch, time, features)", "x=3,5,7,10"),
    "no name": ({"inputs": ["3,5,7,10"]}, "not of the form NAME=SHAPE", "x=None,None,None,10"),
    "no shape": ({"inputs": ["x="]}, "not of the form NAME=SHAPE", "x=None,None,None,10"),
    "odd name": ({"inputs": ["a b=3"]}, "cannot be the name of an input", "one word"),
    "twice": ({"inputs": ["x=3,5,7,10", "x=3,5,7,10"]}, "given twice", "--input x=... once"),
    "size twice": ({"sizes": ["x=3,5,7,10", "x=3,5,7,10"]}, "given twice", "--size x=... once"),
    "other input": ({"inputs": ["y=3,5,7,10"]}, "Unknown input 'y'", "write x"),
    "dtype": ({"inputs": ["x=None,None,None,10:float23"]}, "Unknown dtype 'float23'", "'float32'"),
    "other dtype": ({"inputs": ["x=None,None,None,10:int32"]}, "computes in float32", "leave the dtype out"),
    "strategy": ({"target": "nested_while_lop"}, "Unknown strategy", "'nested_while_loop'"),
    "far strategy": ({"target": "zzz"}, "Unknown strategy", "python -m explorer strategies"),
    "no target": ({"target": " "}, "No target", "map_fn_keras_rnn"),
    "no file": ({"target": "nothere.py"}, "There is no file or folder 'nothere.py'", "write its path"),
    "no file, callable": ({"target": "nothere.py:f"}, "There is no file or folder 'nothere.py'", "write its path"),
    "null byte": ({"target": "a\0.py"}, "There is no file", "write its path"),
    "breaker": ({"breaker": "stop_gradiant@inner"}, "Unknown breaker", "'stop_gradient'"),
    "place": ({"breaker": "stop_gradient@iner"}, "Unknown place 'iner'", "'inner'"),
    "no place": ({"breaker": "stop_gradient@"}, "Unknown place ''", "one of inner, outer"),
    "option": ({"options": ["unit=3"]}, "Unknown option 'unit'", "'units'"),
    "option form": ({"options": ["GRU"]}, "not of the form KEY=VALUE", "cell=GRU"),
    "option twice": ({"options": ["units=3", "units=4"]}, "given twice", "once"),
    "option value": ({"options": ["cell=LTSM"]}, "Unknown value of option cell", "'LSTM'"),
    "option case": ({"options": ["cell=gru"]}, "Unknown value of option cell", "'GRU'"),
    "units text": ({"options": ["units=many"]}, "not a whole number", "units=8"),
    "units low": ({"options": ["units=0"]}, "too small", "1 or more"),
    "units high": ({"options": ["units=5000"]}, "too large", "4096 or less"),
    "seed as option": ({"options": ["seed=3"]}, "'seed' is no option", "--seed"),
    "device": ({"device": "gppu"}, "Unknown device", "'gpu'"),
    "way": ({"way": "grph"}, "Unknown way", "'graph'"),
    "wrt": ({"wrt": ["kernl"]}, "Unknown source", "'kernel'"),
    "seed": ({"seed": -1}, "--seed '-1' cannot", "from 0"),
    "timeout": ({"timeout": "0"}, "--timeout '0' cannot", "above 0"),
    "timeout nan": ({"timeout": "nan"}, "--timeout 'nan' cannot", "above 0"),
    "memory": ({"memory": "lots"}, "--memory 'lots' cannot", "1 or more"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_input_gets_one_sentence_with_what_to_write(name):
    words, wrong, instead = BAD[name]
    with pytest.raises(BadInput) as caught:
        make_case(**{"target": "nested_while_loop", **words})
    sentence = str(caught.value)
    assert wrong in sentence
    assert instead in sentence
    assert "\n" not in sentence
    assert len(sentence) < 300
    assert sentence.endswith((".", "?"))
    assert sentence.count(": ") >= 1


def test_a_file_of_the_users_own(model):
    case = make_case("model.py:f", ["a=None,3:int32", "b=()"], ["a=0,3"], ["depth=2", "rate=1e-3", "flag=True", "n=hi"])
    assert case.target == "model.py:f"
    assert case.inputs == (InputSpec("a", (None, 3), "int32", (0, 3)), InputSpec("b", (), "float32", None))
    assert case.options == (("depth", 2), ("rate", 0.001), ("flag", True), ("n", "hi"))
    assert make_case(model).inputs == ()
    assert make_case(model, sizes=["a=2"]).inputs == (InputSpec("a", None, "float32", (2,)),)


@pytest.mark.parametrize(
    "target", ["model.py", "./model.py", "model.py:Net.call", "saved", "saved:serve", "model.keras"]
)
def test_targets_that_are_there(model, target):
    assert make_case(target).target == target


FILE_BAD = {
    "no function": ({"target": "model.py:my-f"}, "'my-f' is not the name of a Python function"),
    "kind": ({"target": "notes.txt"}, "nothing that can be read here"),
    "keras name": ({"target": "model.keras:f"}, "has nothing to choose by name"),
    "signature": ({"target": "saved:"}, "names no signature"),
    "breaker": ({"breaker": "stop_gradient"}, "into a sample model only"),
    "rank": ({"inputs": ["a=None,3"], "sizes": ["a=2"]}, "2 dimensions in --input and 1 in --size"),
    "contradiction": ({"inputs": ["a=None,3"], "sizes": ["a=2,4"]}, "fixes dimension 1 at 3"),
    "enormous": ({"inputs": ["a=1000000,1000000:float64"]}, "1,000,000,000,000 elements"),
    "option": ({"options": ["a-b=1"]}, "cannot be an option of build()"),
}


@pytest.mark.parametrize("name", FILE_BAD)
def test_bad_input_for_a_file(model, name):
    words, wrong = FILE_BAD[name]
    with pytest.raises(BadInput) as caught:
        make_case(**{"target": model, **words})
    assert wrong in str(caught.value)


@pytest.mark.parametrize(
    ("target", "parts"),
    [
        ("a.py", ("a.py", None)), ("a.py:f", ("a.py", "f")), ("C:\\m\\a.py", ("C:\\m\\a.py", None)),
        ("C:\\m\\a.py:f", ("C:\\m\\a.py", "f")), ("a:b/c.py", ("a:b/c.py", None)),
    ],
)  # fmt: skip
def test_a_target_is_split_at_its_last_colon(target, parts):
    assert split_target(target) == parts
