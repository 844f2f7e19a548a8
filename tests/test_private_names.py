"""The one module of private TensorFlow names, called on the version that is installed."""

from __future__ import annotations

import inspect

import pytest

pytestmark = pytest.mark.tensorflow


def test_checked_against_the_installed_version() -> None:
    import tensorflow as tf

    from explorer.capture import private

    assert tf.__version__.startswith(private.CHECKED_AGAINST), (
        f"TensorFlow {tf.__version__} is installed, explorer/capture/private.py was checked against "
        f"{private.CHECKED_AGAINST}: run the whole suite, then change CHECKED_AGAINST"
    )


def test_patched_functions_have_the_signature_that_the_patches_expect() -> None:
    from explorer.capture import private

    build = inspect.signature(private.while_v2._build_while_op)
    assert list(build.parameters) == [
        "loop_vars", "cond_graph", "body_graph", "output_shapes", "parallel_iterations", "name", "num_original_outputs",
    ]  # fmt: skip
    grad = inspect.signature(private.while_v2._grad_fn)
    assert list(grad.parameters) == ["ys", "xs", "args", "func_graph"]
    assert list(inspect.signature(private.while_v2.while_loop).parameters)[:3] == ["cond", "body", "loop_vars"]
    assert list(inspect.signature(private.WhileContext.BuildLoop).parameters) == [
        "self", "pred", "body", "loop_vars", "shape_invariants", "return_same_structure",
    ]  # fmt: skip


def test_graphs_stay_on_the_ops() -> None:
    import tensorflow as tf

    from explorer.capture import private

    @tf.function
    def loop(x: tf.Tensor) -> tf.Tensor:
        return tf.while_loop(
            lambda i, y: i < 3, lambda i, y: (i + 1, tf.cond(i > 1, lambda: y, lambda: y * x)), (0, x)
        )[1]

    graph = loop.get_concrete_function(tf.TensorSpec([])).graph
    op = next(o for o in graph.get_operations() if "While" in o.type)
    body = private.pinned_graph(op, "_body_graph")
    assert body is not None
    assert private.pinned_graph(op, "_cond_graph") is not None
    branch = next(o for o in body.get_operations() if o.type in ("If", "StatelessIf"))
    assert private.pinned_graph(branch, "_true_graph") is not None
    assert private.user_frames(op)[-1].filename == __file__
