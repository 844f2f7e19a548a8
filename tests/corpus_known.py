"""What the explorer is known to say wrongly about the corpus, by test: each is an xfail that must fail."""

KNOWN: dict[str, dict[tuple[str, str], str]] = {
    "measured": {},
    "sound": {},
    "status": {},
    "cause": {},
    "raises": {},
    "warned": {},
    "endless": {},
}
