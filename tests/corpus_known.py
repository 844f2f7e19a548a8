"""What the explorer is known to say wrongly about the corpus, by test: each entry is an xfail that must fail.

Whoever mends a fault takes its entries out here.
"""

NOT_WARNED = "TensorFlow's backward pass is known to raise here, and nothing warns of it"

KNOWN: dict[str, dict[tuple[str, str], str]] = {
    "measured": {},
    "sound": {},
    "status": {},
    "cause": {},
    "raises": {},
    "warned": {
        ("second_order_of_scan", "tf1"): NOT_WARNED,
    },
    "endless": {},
}
