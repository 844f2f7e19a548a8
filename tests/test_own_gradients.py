"""The line to edit where a gradient function of the user's own fails; each program marks it with ``# <- edit``."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.tensorflow


def halved(tf: Any, upstream: Any) -> Any:  # <- edit (partial_takes_no_variables)
    return upstream / 2.0


def takes_no_variables(tf: Any, x: Any) -> Any:
    weight = tf.Variable(0.5)

    @tf.custom_gradient
    def own(value: Any) -> Any:
        return value * weight, lambda upstream: upstream  # <- edit

    return own(x)


def partial_takes_no_variables(tf: Any, x: Any) -> Any:
    weight = tf.Variable(0.5)
    own = tf.custom_gradient(lambda value: (value * weight, functools.partial(halved, tf)))
    return own(x)


def object_takes_no_variables(tf: Any, x: Any) -> Any:
    weight = tf.Variable(0.5)

    class Backward:
        def __call__(self, upstream: Any) -> Any:  # <- edit
            return upstream

    return tf.custom_gradient(lambda value: (value * weight, Backward()))(x)


def too_many(tf: Any, x: Any) -> Any:
    @tf.custom_gradient
    def own(value: Any) -> Any:
        def gradient(upstream: Any) -> Any:  # <- edit
            return upstream, upstream

        return value * 2.0, gradient

    return own(x)


def takes_no_upstream(tf: Any, x: Any) -> Any:
    @tf.custom_gradient
    def own(value: Any) -> Any:
        def gradient() -> Any:  # <- edit
            return value

        return value * 2.0, gradient

    return own(x)


def fails_in_what_it_calls(tf: Any, x: Any) -> Any:
    def shaped(upstream: Any) -> Any:
        return tf.reshape(upstream, [7])  # <- edit

    @tf.custom_gradient
    def own(value: Any) -> Any:
        return value * 2.0, lambda upstream: shaped(upstream)

    return own(x)


def gives_no_gradient_function(tf: Any, x: Any) -> Any:
    @tf.custom_gradient  # <- edit
    def own(value: Any) -> Any:
        return value * 2.0, value

    return own(x)


def called_by_keyword(tf: Any, x: Any) -> Any:
    @tf.custom_gradient
    def own(value: Any) -> Any:
        return value * 2.0, lambda upstream: upstream

    return own(value=x)  # <- edit


def called_by_keyword_in_graph(tf: Any, x: Any) -> Any:
    return tf.function(lambda y: called_by_keyword(tf, y), autograph=False)(x)


def marked(program: Callable[..., Any]) -> int:
    lines, first = inspect.getsourcelines(program)
    return next(first + k for k, line in enumerate(lines) if "# <- edit" in line)


def blamed(program: Callable[..., Any], in_graph: bool) -> int:
    import tensorflow as tf

    from explorer.engine.errors import failure_of
    from explorer.engine.own_gradients import whole_tracebacks

    def gradient(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = program(tf, x)
        return tape.gradient(y, x)

    run = tf.function(gradient, autograph=False) if in_graph else gradient
    with whole_tracebacks(), pytest.raises(Exception) as caught:  # noqa: PT011 - which one is TensorFlow's choice
        run(tf.ones([2]))
    place = failure_of(caught.value, "backward").location
    assert place is not None
    assert place.file == __file__
    return place.line


@pytest.mark.parametrize("in_graph", [False, True])
@pytest.mark.parametrize(
    "program",
    [
        takes_no_variables, object_takes_no_variables, takes_no_upstream, fails_in_what_it_calls,
        gives_no_gradient_function,
    ],
)  # fmt: skip
def test_the_function_to_edit_is_told(program: Callable[..., Any], in_graph: bool) -> None:
    assert blamed(program, in_graph) == marked(program)


@pytest.mark.parametrize("in_graph", [False, True])
def test_a_partial_is_told_with_the_function_behind_it(in_graph: bool) -> None:
    assert blamed(partial_takes_no_variables, in_graph) == marked(halved)


def test_too_many_gradients_are_told_with_the_function_that_gave_them() -> None:
    assert blamed(too_many, False) == marked(too_many)


def test_a_call_that_tensorflow_refuses_stays_the_line_to_edit() -> None:
    assert blamed(called_by_keyword_in_graph, False) == marked(called_by_keyword)


def test_filtering_is_as_before_afterwards() -> None:
    import keras
    import tensorflow as tf

    from explorer.engine.own_gradients import whole_tracebacks

    before = tf.debugging.is_traceback_filtering_enabled(), keras.config.is_traceback_filtering_enabled()
    with whole_tracebacks():
        assert not tf.debugging.is_traceback_filtering_enabled()
        assert not keras.config.is_traceback_filtering_enabled()
    assert (tf.debugging.is_traceback_filtering_enabled(), keras.config.is_traceback_filtering_enabled()) == before
