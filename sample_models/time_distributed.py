"""keras.layers.TimeDistributed around a Keras RNN.

TimeDistributed applies one layer to every slice along axis 1. Where that axis has a size it writes the calls out one
after the other; where it has none it uses a vectorized map, through which an RNN's loop has no gradient. So x is turned
to [batch, outer, time, features] first, and outer must have a size. The weights are those of the one wrapped layer.

x is [outer, batch, time, features]; the loss is a scalar. `python time_distributed.py` prints one gradient norm each.
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


def make_cell(cell, units, dtype, layers):
    """The chosen cell, or several in layers; the subclass is the place to change what happens in one step of time."""

    class Cell(CELLS[cell]):
        def call(self, inputs, states, training=False):
            h, new = super().call(inputs, states, training=training)
            # breaker @inner h: a mistake goes here, e.g. h = tf.stop_gradient(h), or a cast to an integer and back
            return h, new

    cells = [Cell(units, dtype=dtype) for _ in range(layers)]
    return cells[0] if layers == 1 else keras.layers.StackedRNNCells(cells, dtype=dtype)


def build(
    cell="LSTM",
    units=8,
    shape=(3, None, None, 10),
    sizes=(3, 5, 7, 10),
    seed=0,
    scale=1.0,
    dtype="float32",
    layers=1,
    return_sequences=False,
    unroll=False,
):
    *cell_weights, readout_weight = starting_weights(cell, shape[-1], units, seed)
    for layer in range(1, layers):
        cell_weights += starting_weights(cell, units, units, seed + layer)[:-1]
    cell_weights[1::3] = [scale * weight for weight in cell_weights[1::3]]
    rnn_cell = make_cell(cell, units, dtype, layers)
    rnn = keras.layers.RNN(rnn_cell, return_sequences=return_sequences, unroll=unroll, dtype=dtype)
    rnn.build((None, None, shape[-1]))
    rnn.set_weights(cell_weights)
    floats = keras.DTypePolicy(dtype).variable_dtype  # float32 for mixed_float16
    readout = tf.Variable(readout_weight, name="readout", dtype=floats)
    variables = [*(weight.value for weight in rnn.trainable_weights), readout]
    # breaker @weights readout: a mistake about a weight goes here, e.g. one more that is made and used nowhere

    distributed = keras.layers.TimeDistributed(rnn, dtype=dtype)

    def fn(x):
        h = distributed(tf.transpose(x, [1, 0, 2, 3]))
        # breaker @outer h: a mistake goes here, e.g. h = tf.stop_gradient(h), or a cast to an integer and back
        return tf.reduce_mean(tf.square(tf.matmul(tf.cast(h, floats), readout)))

    return {
        "fn": fn,
        "inputs": [(list(shape), floats)],
        # breaker @tape x: a mistake about the tape goes here, e.g. "watch": [], which leaves out tape.watch(x)
        "concrete_shapes": [list(sizes)],
        "variables": variables,
        "note": "one RNN loop for each element of the outer dimension, all with the same weights",
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
