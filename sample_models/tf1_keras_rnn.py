"""TensorFlow 1: map_fn over a Keras RNN layer in place of dynamic_rnn.

The layer's own loop over time becomes a frame, too, if three things are seen to. Keras reads shapes as TensorFlow 2
gives them: call enable_v2_tensorshape(). return_sequences must be True: without it Keras writes each step's output to
index 0 of a TensorArray, and control flow v1 allows one write per index. And weights come from initializers:
set_weights() assigns outside the session. Control flow v1 is a switch for the whole process: call
tf.compat.v1.disable_v2_behavior() before anything is built.

x is [outer, batch, time, features]; the loss is a scalar. `python tf1_keras_rnn.py` prints the gradient norms.
"""

import keras
import numpy as np
import tensorflow as tf

CELLS = {"SimpleRNN": keras.layers.SimpleRNNCell, "GRU": keras.layers.GRUCell, "LSTM": keras.layers.LSTMCell}
GATES = {"SimpleRNN": 1, "GRU": 3, "LSTM": 4}


def starting_weights(cell, features, units, seed):
    """Seeded weights in Keras layout: kernel, recurrent_kernel, bias, and the matrix that reads the result out."""
    random = np.random.default_rng(seed)
    wide = GATES[cell] * units
    kernel = random.normal(size=(features, wide)) / np.sqrt(features)
    recurrent_kernel = random.normal(size=(units, wide)) / np.sqrt(units)
    bias = 0.1 * random.normal(size=(2, wide) if cell == "GRU" else (wide,))
    readout = random.normal(size=(units, units)) / np.sqrt(units)
    return [weight.astype("float32") for weight in (kernel, recurrent_kernel, bias, readout)]


def make_rnn(cell, units, weights, dtype):
    """A Keras RNN around the chosen cell; the subclass is the place to change what happens in one step of time."""

    class Cell(CELLS[cell]):
        def call(self, inputs, states, training=False):
            h, new = super().call(inputs, states, training=training)
            # breaker @inner h: a mistake goes here, e.g. h = tf.stop_gradient(h), or a cast to an integer and back
            return h, new

    names = ("kernel_initializer", "recurrent_initializer", "bias_initializer")
    initializers = {
        name: keras.initializers.Constant(weight.astype(dtype)) for name, weight in zip(names, weights, strict=True)
    }
    if cell == "LSTM":
        initializers["unit_forget_bias"] = False
    # Named, because Keras counts its layers over all graphs: without a name a second graph would hold an rnn_1.
    return keras.layers.RNN(Cell(units, dtype=dtype, **initializers), return_sequences=True, dtype=dtype, name="rnn")


def build(
    cell="LSTM",
    units=8,
    shape=(None, None, None, 10),
    sizes=(3, 5, 7, 10),
    seed=0,
    scale=1.0,
    dtype="float32",
    parallel_iterations=10,
):
    tf.compat.v1.enable_v2_tensorshape()
    *weights, readout_weight = starting_weights(cell, shape[-1], units, seed)
    weights[1] *= scale
    rnn = make_rnn(cell, units, weights, dtype)
    rnn.build((None, None, shape[-1]))
    readout = tf.compat.v1.get_variable("readout", initializer=readout_weight.astype(dtype), use_resource=True)
    variables = [*(weight.value for weight in rnn.trainable_weights), readout]
    # breaker @weights readout: a mistake about a weight goes here, e.g. one more that is made and used nowhere

    def read(sequence):
        """One element of the map: sequence is [batch, time, features], the result [batch, units]."""
        h = rnn(sequence)[:, -1]
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
        "note": "control flow v1: the loop inside the Keras layer is a frame as well",
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
        names = ["x", *(variable.op.name.split("/")[-1] for variable in model["variables"])]
        for name, gradient in zip(names, session.run(gradients, {x: value}), strict=True):
            print(f"{name:18}{np.linalg.norm(gradient):.6g}")


if __name__ == "__main__":
    main()
