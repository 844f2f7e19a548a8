"""TensorFlow 1: map_fn over dynamic_rnn, run in a graph and session with control flow v1.

Both loops become frames of Enter, Switch, Merge, NextIteration and Exit ops in one flat graph. Control flow v1 is a
switch for the whole process: call tf.compat.v1.disable_v2_behavior() before anything is built. build() and fn belong
in the same tf.Graph. The cell is written by hand, because tf.compat.v1.nn.rnn_cell needs the tf_keras package today.

x is [outer, batch, time, features]; the loss is a scalar. `python tf1_map_fn_dynamic_rnn.py` prints the gradient norms.
"""

import numpy as np
import tensorflow as tf

GATES = {"SimpleRNN": 1, "GRU": 3, "LSTM": 4}
STATES = {"SimpleRNN": 1, "GRU": 1, "LSTM": 2}


def starting_weights(cell, features, units, seed):
    """Seeded weights in Keras layout: kernel, recurrent_kernel, bias, and the matrix that reads the result out."""
    random = np.random.default_rng(seed)
    wide = GATES[cell] * units
    kernel = random.normal(size=(features, wide)) / np.sqrt(features)
    recurrent_kernel = random.normal(size=(units, wide)) / np.sqrt(units)
    bias = 0.1 * random.normal(size=(2, wide) if cell == "GRU" else (wide,))
    readout = random.normal(size=(units, units)) / np.sqrt(units)
    return [weight.astype("float32") for weight in (kernel, recurrent_kernel, bias, readout)]


def simple_rnn_step(x, states, kernel, recurrent_kernel, bias):
    return (tf.tanh(tf.matmul(x, kernel) + tf.matmul(states[0], recurrent_kernel) + bias),)


def gru_step(x, states, kernel, recurrent_kernel, bias):
    """Keras' GRU with reset_after=True: the reset gate acts on the product, so the recurrent part has its own bias."""
    xz, xr, xh = tf.split(tf.matmul(x, kernel) + bias[0], 3, axis=1)
    hz, hr, hh = tf.split(tf.matmul(states[0], recurrent_kernel) + bias[1], 3, axis=1)
    update = tf.sigmoid(xz + hz)
    candidate = tf.tanh(xh + tf.sigmoid(xr + hr) * hh)
    return (update * states[0] + (1.0 - update) * candidate,)


def lstm_step(x, states, kernel, recurrent_kernel, bias):
    gates = tf.matmul(x, kernel) + tf.matmul(states[0], recurrent_kernel) + bias
    enter, forget, candidate, output = tf.split(gates, 4, axis=1)
    c = tf.sigmoid(forget) * states[1] + tf.sigmoid(enter) * tf.tanh(candidate)
    return (tf.sigmoid(output) * tf.tanh(c), c)


STEPS = {"SimpleRNN": simple_rnn_step, "GRU": gru_step, "LSTM": lstm_step}


class Cell:
    """What dynamic_rnn asks of a cell: its sizes, a zero state, and one step."""

    def __init__(self, cell, units, weights):
        self.step, self.weights = STEPS[cell], weights
        self.output_size = units
        self.state_size = (units,) * STATES[cell]

    def zero_state(self, batch_size, dtype):
        return (tf.zeros([batch_size, self.output_size], dtype),) * len(self.state_size)

    def __call__(self, inputs, states):
        new = self.step(inputs, states, *self.weights)
        h = new[0]
        # breaker @inner h: a mistake goes here, e.g. h = tf.stop_gradient(h), or a cast to an integer and back
        return h, (h, *new[1:])


def build(
    cell="LSTM",
    units=8,
    shape=(None, None, None, 10),
    sizes=(3, 5, 7, 10),
    seed=0,
    scale=1.0,
    dtype="float32",
    layers=1,
    lengths="full",
    parallel_iterations=10,
):
    names = ["kernel", "recurrent_kernel", "bias"]
    *weights, readout_weight = starting_weights(cell, shape[-1], units, seed)
    for layer in range(1, layers):
        weights += starting_weights(cell, units, units, seed + layer)[:-1]
        names += [f"{name}_{layer + 1}" for name in names[:3]]
    weights[1::3] = [scale * weight for weight in weights[1::3]]
    variables = [
        tf.compat.v1.get_variable(name, initializer=weight.astype(dtype), use_resource=True)
        for name, weight in zip([*names, "readout"], [*weights, readout_weight], strict=True)
    ]
    *cell_weights, readout = variables
    # breaker @weights readout: a mistake about a weight goes here, e.g. one more that is made and used nowhere
    cells = [Cell(cell, units, cell_weights[at : at + 3]) for at in range(0, len(cell_weights), 3)]

    def read(sequence):
        """One element of the map: sequence is [batch, time, features], the result [batch, units]."""
        ends = None
        if lengths == "ragged":
            batch, time = tf.shape(sequence)[0], tf.shape(sequence)[1]
            ends = time - tf.range(batch) % time
        for rnn_cell in cells:
            sequence, states = tf.compat.v1.nn.dynamic_rnn(rnn_cell, sequence, sequence_length=ends, dtype=dtype)
        h = states[0] if lengths == "ragged" else sequence[:, -1]  # beyond its length an output is zero
        # breaker @outer h: a mistake goes here, e.g. h = tf.stop_gradient(h), or a cast to an integer and back
        return tf.matmul(h, readout)

    def fn(x):
        results = tf.compat.v1.map_fn(read, x, parallel_iterations=parallel_iterations)
        return tf.reduce_mean(tf.square(results))

    return {
        "fn": fn,
        "inputs": [(list(shape), dtype)],
        "concrete_shapes": [list(sizes)],
        "variables": variables,
        "note": "control flow v1: both loops are frames in one flat graph",
        "mode": "tf1",
    }


def main():
    tf.compat.v1.disable_v2_behavior()
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        model = build()
        shape, dtype = model["inputs"][0]
        x = tf.compat.v1.placeholder(dtype, shape, name="x")
        gradients = tf.gradients(model["fn"](x), [x, *model["variables"]])
        session.run(tf.compat.v1.global_variables_initializer())
        value = np.random.default_rng(1).normal(size=model["concrete_shapes"][0])
        names = ["x", *(variable.op.name for variable in model["variables"])]
        for name, gradient in zip(names, session.run(gradients, {x: value}), strict=True):
            print(f"{name:18}{np.linalg.norm(gradient):.6g}")


if __name__ == "__main__":
    main()
