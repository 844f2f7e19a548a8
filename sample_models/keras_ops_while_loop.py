"""keras.ops.while_loop inside keras.ops.while_loop: nested loops that would run on JAX and Torch as well.

keras.ops has no TensorArray, so elements are read with an index and written into a tensor of zeros with scatter_update.
Both touch the whole tensor in the backward pass of every iteration; tf.while_loop with TensorArray does not.

x is [outer, batch, time, features]; the loss is a scalar. `python keras_ops_while_loop.py` prints the gradient norms.
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


def last_output(sequence, rnn_cell):
    """Walk over time from a zero state; sequence is [batch, time, features], the result [batch, units]."""
    batch, time, _ = keras.ops.shape(sequence)
    states = rnn_cell.get_initial_state(batch_size=batch)

    def body(t, *states):
        h, new = rnn_cell(sequence[:, t], list(states))
        # breaker @inner h: a mistake goes here, e.g. h = tf.stop_gradient(h), or a cast to an integer and back
        return t + 1, h, *new[1:]

    return keras.ops.while_loop(lambda t, *states: t < time, body, (0, *states))[1]


def build(cell="LSTM", units=8, shape=(None, None, None, 10), sizes=(3, 5, 7, 10), seed=0, scale=1.0, dtype="float32"):
    *cell_weights, readout_weight = starting_weights(cell, shape[-1], units, seed)
    cell_weights[1] *= scale
    rnn_cell = CELLS[cell](units, dtype=dtype)
    rnn_cell.build((None, shape[-1]))
    rnn_cell.set_weights(cell_weights)
    readout = tf.Variable(readout_weight, name="readout", dtype=dtype)
    variables = [*(weight.value for weight in rnn_cell.trainable_weights), readout]
    # breaker @weights readout: a mistake about a weight goes here, e.g. one more that is made and used nowhere

    def fn(x):
        outer, batch = keras.ops.shape(x)[:2]

        def body(i, collected):
            h = last_output(x[i], rnn_cell)
            # breaker @outer h: a mistake goes here, e.g. h = tf.stop_gradient(h), or a cast to an integer and back
            result = keras.ops.expand_dims(keras.ops.matmul(h, readout), 0)
            return i + 1, keras.ops.scatter_update(collected, [[i]], result)

        zeros = keras.ops.zeros((outer, batch, units), dtype)
        _, collected = keras.ops.while_loop(lambda i, collected: i < outer, body, (0, zeros))
        return keras.ops.mean(keras.ops.square(collected))

    return {
        "fn": fn,
        "inputs": [(list(shape), dtype)],
        # breaker @tape x: a mistake about the tape goes here, e.g. "watch": [], which leaves out tape.watch(x)
        "concrete_shapes": [list(sizes)],
        "variables": variables,
        "note": "elements are read with an index and written with scatter_update",
        "mode": "graph",
    }


def main():
    model = build()
    shape, dtype = model["inputs"][0]
    x = tf.constant(np.random.default_rng(1).normal(size=model["concrete_shapes"][0]), dtype)
    sources = {"x": x, **{variable.name.split(":")[0].split("/")[-1]: variable for variable in model["variables"]}}

    @tf.function(input_signature=[tf.TensorSpec(shape, dtype)])
    def gradients(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = model["fn"](x)
        return tape.gradient(loss, [x, *model["variables"]])

    for name, gradient in zip(sources, gradients(x), strict=True):
        print(f"{name:18}{tf.norm(gradient).numpy():.6g}")


if __name__ == "__main__":
    main()
