"""tf.vectorized_map over the outer dimension, with the steps over time written out one after the other.

vectorized_map traces its function once and turns every op into one op for all elements, so no loop is left. The
gradient of a recurrent loop inside it cannot be built (TensorFlow 2.21): so the steps over time are a Python loop, and
time must have a size.

x is [outer, batch, time, features]; the loss is a scalar. `python vectorized_map.py` prints one gradient norm each.
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


def build(cell="LSTM", units=8, shape=(None, None, 7, 10), sizes=(3, 5, 7, 10), seed=0, scale=1.0, dtype="float32"):
    names = ("kernel", "recurrent_kernel", "bias", "readout")
    weights = starting_weights(cell, shape[-1], units, seed)
    weights[1] *= scale
    variables = [tf.Variable(weight, name=name, dtype=dtype) for name, weight in zip(names, weights, strict=True)]
    *cell_weights, readout = variables
    # breaker @weights readout: a mistake about a weight goes here, e.g. one more that is made and used nowhere

    def step(states, moment):
        """One step of time: moment is [batch, features], each state [batch, units]."""
        new = STEPS[cell](moment, states, *cell_weights)
        h = new[0]
        # breaker @inner h: a mistake goes here, e.g. h = tf.stop_gradient(h), or a cast to an integer and back
        return (h, *new[1:])

    def read(sequence):
        """One element of the map: sequence is [batch, time, features], the result [batch, units]."""
        states = (tf.zeros([tf.shape(sequence)[0], units], dtype),) * STATES[cell]
        if sequence.shape[1] is None:  # a loop: it runs, and its gradient cannot be built
            states = tf.foldl(step, tf.transpose(sequence, [1, 0, 2]), initializer=states)
        else:
            for t in range(sequence.shape[1]):
                states = step(states, sequence[:, t])
        h = states[0]
        # breaker @outer h: a mistake goes here, e.g. h = tf.stop_gradient(h), or a cast to an integer and back
        return tf.matmul(h, readout)

    def fn(x):
        return tf.reduce_mean(tf.square(tf.vectorized_map(read, x)))

    return {
        "fn": fn,
        "inputs": [(list(shape), dtype)],
        # breaker @tape x: a mistake about the tape goes here, e.g. "watch": [], which leaves out tape.watch(x)
        "concrete_shapes": [list(sizes)],
        "variables": variables,
        "note": "no loop is left: the map is vectorized, the steps over time are written out",
        "mode": "graph",
    }


def main():
    model = build()
    shape, dtype = model["inputs"][0]
    x = tf.constant(np.random.default_rng(1).normal(size=model["concrete_shapes"][0]), dtype)
    sources = {"x": x, **{variable.name.split(":")[0]: variable for variable in model["variables"]}}

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
