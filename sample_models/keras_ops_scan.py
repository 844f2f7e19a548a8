"""keras.ops.scan over time inside keras.ops.map: loops that would run on JAX and Torch as well.

scan carries a state along the first dimension and returns the last state and the outputs of all steps. On TensorFlow
the state travels in a TensorArray, and map calls its function once more than there are elements, to learn the shape.

x is [outer, batch, time, features]; the loss is a scalar. `python keras_ops_scan.py` prints one gradient norm each.
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


def build(cell="LSTM", units=8, shape=(None, None, None, 10), sizes=(3, 5, 7, 10), seed=0, scale=1.0, dtype="float32"):
    *cell_weights, readout_weight = starting_weights(cell, shape[-1], units, seed)
    cell_weights[1] *= scale
    rnn_cell = CELLS[cell](units, dtype=dtype)
    rnn_cell.build((None, shape[-1]))
    rnn_cell.set_weights(cell_weights)
    readout = tf.Variable(readout_weight, name="readout", dtype=dtype)
    variables = [*(weight.value for weight in rnn_cell.trainable_weights), readout]
    # breaker @weights readout: a mistake about a weight goes here, e.g. one more that is made and used nowhere

    def step(states, moment):
        """One step of time: moment is [batch, features], each state [batch, units]."""
        h, new = rnn_cell(moment, list(states))
        # breaker @inner h: a mistake goes here, e.g. h = tf.stop_gradient(h), or a cast to an integer and back
        new = (h, *new[1:])
        return new, new

    def read(sequence):
        """One element of the map: sequence is [batch, time, features], the result [batch, units]."""
        zeros = tuple(rnn_cell.get_initial_state(batch_size=keras.ops.shape(sequence)[0]))
        (h, *_), _ = keras.ops.scan(step, zeros, keras.ops.transpose(sequence, (1, 0, 2)))
        # breaker @outer h: a mistake goes here, e.g. h = tf.stop_gradient(h), or a cast to an integer and back
        return keras.ops.matmul(h, readout)

    def fn(x):
        return keras.ops.mean(keras.ops.square(keras.ops.map(read, x)))

    return {
        "fn": fn,
        "inputs": [(list(shape), dtype)],
        # breaker @tape x: a mistake about the tape goes here, e.g. "watch": [], which leaves out tape.watch(x)
        "concrete_shapes": [list(sizes)],
        "variables": variables,
        "note": "scan inside map, both of keras.ops",
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
