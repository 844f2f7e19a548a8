"""Imported once by the fork server, so that every child starts with TensorFlow in memory.

Nothing but imports: building even a small graph makes TensorFlow's eager context and its threads, and a child forked
after that hangs. A first trace in a child takes no longer than a second one, so there is nothing else to gain.
"""

from __future__ import annotations

import gc

import keras
import tensorflow as tf

__all__ = ["keras", "tf"]

# Children must not copy the pages of half a million live objects only because their collector looks at them.
gc.collect()
gc.freeze()
