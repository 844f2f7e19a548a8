"""What the explorer is known to say wrongly about the corpus, by test: each entry is an xfail that must fail.

Whoever mends a fault takes its entries out here.
"""

PYTHON_CHOICE = "an eager branch, range or loop condition leaves no trace in the recording: told as a dropped result"
EAGER_MAP_LINE = "the line of an op in a function mapped eagerly is that of the call to tf.map_fn"
FRESH_WEIGHTS = "variables made anew in every call are not told of in eager code"
NOT_WARNED = "TensorFlow's backward pass is known to raise here, and nothing warns of it"

KNOWN: dict[str, dict[tuple[str, str], str]] = {
    "measured": {},
    "sound": {},
    "status": {
        ("limit_used_in_condition", "eager"): PYTHON_CHOICE,
        ("trips_from_float", "eager"): PYTHON_CHOICE,
    },
    "cause": {
        ("limit_used_in_condition", "eager"): PYTHON_CHOICE,
        ("map_to_integers", "eager"): EAGER_MAP_LINE,
        ("trips_from_float", "eager"): PYTHON_CHOICE,
    },
    "raises": {},
    "warned": {
        ("second_order_of_scan", "tf1"): NOT_WARNED,
        ("variable_made_per_call", "eager"): FRESH_WEIGHTS,
    },
    "endless": {},
}
