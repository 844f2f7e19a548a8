"""TensorFlow's messages, made useful."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.rules.messages import meaning


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("ValueError: Cannot convert a partially known TensorShape <unknown> to a Tensor.", "vectorized_map"),
        ("TypeError: Second-order gradient for while loops not supported.", "enable_control_flow_v2"),
        ("XLA compilation requires a fixed tensor list size. Set the max number of elements.", "maximum_iterations"),
        ("LookupError: No gradient defined for operation 'AdjustContrastv2'", "custom_gradient"),
        ("<tf.Tensor 'while/Tanh:0'> is out of scope and cannot be used here.", "TensorArray"),
        ("AttributeError: 'SymbolicTensor' object has no attribute 'numpy'", "tf operations"),
        ("NotImplementedError: Cannot convert a symbolic tf.Tensor (x:0) to a numpy array.", "tf operations"),
        ("InvalidArgumentError: shape of dy was [] instead of [5,8]", "py_function"),
        ("Attempting to slice scalar input. for '{{node loop_body/AssignVariableOp/pfor/strided_slice}}'", "assign"),
        (f"ValueError: Shape [{','.join('?' * 255)}] is too large", "tf.map_fn"),
        ("Shape of resource Variable/0 cannot be changed after initialization: old shape was []", "jit_compile"),
        ("ValueError: Cannot infer argument `num` from shape (None, 4)", "tf.range"),
        ("No gradients provided for any variable: ['w:0']", "outside the tape"),
    ],
)
def test_misleading_messages_are_translated(text: str, told: str) -> None:
    row = meaning(text)
    assert row is not None
    assert told in row.hint


def test_other_messages_are_left_alone() -> None:
    assert meaning("ValueError: the learning rate must be positive") is None


@pytest.mark.tensorflow
@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            'in user code:\n\n    File "m.py", line 3, in fn\n\n    ValueError: shapes do not match\n',
            "shapes do not match",
        ),
        (
            "Graph execution error:\n\nDetected at node while/Sqrt defined at (most recent call last):\n"
            '  File "m.py", line 9, in body\n\nInput is not finite : Tensor had NaN values\n',
            "Input is not finite : Tensor had NaN values",
        ),
        ("The useful sentence comes first.\nAnd then a lot of noise", "The useful sentence comes first."),
        ("{{function_node __wrapped__Foo}} Matrix size-incompatible [Op:MatMul] name: ", "Matrix size-incompatible"),
        ("", "No message."),
    ],
)
def test_the_useful_sentence_comes_first(text: str, sentence: str) -> None:
    from explorer.engine.errors import useful_message

    assert useful_message(text) == sentence


@pytest.mark.tensorflow
def test_xla_tells_the_inner_op_first_and_paths_without_their_root(tmp_path: Path) -> None:
    from explorer.engine.errors import user_line

    model = tmp_path / "model.py"
    model.write_text("")
    frame = f'File "{str(model)[1:]}", line {{}}, in fn\n'
    text = (
        "Input 0 must be a compile-time constant.\n\nStack trace for op definition: \n"
        + frame.format(4) + frame.format(9)
        + "\ttf2xla conversion failed\n\nStack trace for op definition: \n"
        + frame.format(4) + frame.format(5)
    )  # fmt: skip
    found = user_line(ValueError(text))
    assert found is not None
    assert (found.file, found.line) == (str(model), 9)


@pytest.mark.tensorflow
@pytest.mark.parametrize(
    ("node", "forward"),
    [
        ("gradient_tape/while/gradients/while/Tanh_grad/TanhGrad", ["while/Tanh", "Tanh"]),
        (
            "gradient_tape/while/gradients/while/PartitionedCall_grad/PartitionedCall/gradients/concat_grad/ConcatOffset",
            ["concat", "while/PartitionedCall"],
        ),
    ],
)
def test_a_backward_node_leads_to_its_forward_ops_innermost_first(node: str, forward: list[str]) -> None:
    from explorer.engine.named_ops import forward_names

    names = list(dict.fromkeys(forward_names(node)))
    assert [name for name in names if name in forward] == forward
