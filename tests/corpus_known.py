"""What the explorer is known to say wrongly about the corpus, by test: each entry is an xfail that must fail.

Whoever mends a fault takes its entries out here.
"""

KNOWN: dict[str, dict[tuple[str, str], str]] = {
    "measured": {},
    "sound": {},
    "status": {},
    "cause": {},
    "raises": {},
    "warned": {},
    "endless": {},
}
