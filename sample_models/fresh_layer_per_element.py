"""A mistake to look at: the RNN layer is made INSIDE the loop over elements, so every element gets weights of its own.

In eager mode it runs without a word. The loss and the gradient of x are those of the right model, as every layer starts
from the same numbers; but each layer sees one element, and the next call makes others: nothing is shared, and nothing
is trained. Under tf.function it raises. The remedy is one line: make the layer once, before the loop.

x is [outer, batch, time, features]; the loss is a scalar. `python fresh_layer_per_element.py` prints one gradient norm
each, for the weights of the first element's layer, and what they get from a second call.
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


def make_rnn(cell, units, weights):
    """A Keras RNN around the chosen cell; the subclass is the place to change what happens in one step of time."""

    class Cell(CELLS[cell]):
        def call(self, inputs, states, training=False):
            h, new = super().call(inputs, states, training=training)
            # breaker @inner h: a mistake goes here, e.g. h = tf.stop_gradient(h), or a cast to an integer and back
            return h, new

    rnn = keras.layers.RNN(Cell(units))
    rnn.build((None, None, weights[0].shape[0]))
    rnn.set_weights(weights)
    return rnn


def build(cell="LSTM", units=8, shape=(None, None, None, 10), sizes=(3, 5, 7, 10), seed=0):
    *cell_weights, readout_weight = starting_weights(cell, shape[-1], units, seed)
    readout = tf.Variable(readout_weight, name="readout")
    made = []

    def fn(x):
        collected = []
        for sequence in tf.unstack(x):
            rnn = make_rnn(cell, units, cell_weights)  # the mistake: new weights for every element
            made.append(rnn)
            h = rnn(sequence)
            # breaker @outer h: a mistake goes here, e.g. h = tf.stop_gradient(h), or a cast to an integer and back
            collected.append(tf.matmul(h, readout))
        return tf.reduce_mean(tf.square(tf.stack(collected)))

    def variables():
        """What looks like the model's weights: those of the first layer that was made. Known after the first call."""
        return [*(weight.value for weight in made[0].trainable_weights), readout]

    return {
        "fn": fn,
        "inputs": [(list(shape), "float32")],
        # breaker @tape x: a mistake about the tape goes here, e.g. "watch": [], which leaves out tape.watch(x)
        "concrete_shapes": [list(sizes)],
        "variables": variables,
        "note": "a mistake: each element of each call has a layer of its own",
        "mode": "eager",
    }


def main():
    model = build()
    x = tf.constant(np.random.default_rng(1).normal(size=model["concrete_shapes"][0]), tf.float32)
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = model["fn"](x)
    variables = model["variables"]()
    names = ["x", *(variable.name.split(":")[0].split("/")[-1] for variable in variables)]
    for name, gradient in zip(names, tape.gradient(loss, [x, *variables]), strict=True):
        print(f"{name:18}{tf.norm(gradient).numpy():.6g}")
    with tf.GradientTape() as tape:
        loss = model["fn"](x)
    lost = [name for name, found in zip(names[1:], tape.gradient(loss, variables), strict=True) if found is None]
    print(f"In a second call the gradient is None for {', '.join(lost)}.")


if __name__ == "__main__":
    main()
