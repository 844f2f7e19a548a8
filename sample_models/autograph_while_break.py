"""AutoGraph: `while` with an early `break` inside tf.function.

tf.function rewrites both while loops into tf.while_loop. The break becomes a bool that the loop carries and its
condition asks; no gradient runs through it. The gradient is that of the steps that were taken: how it depends on the
number of steps is lost, as for every loop whose length depends on its data.

x is [outer, batch, time, features]; the loss is a scalar. `python autograph_while_break.py` prints the gradient norms.
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


SETTLED = 1e-7


def last_output(sequence, cell, units, weights, lengths, bound):
    """Walk over time until the output settles; sequence is [batch, time, features], the result [batch, units]."""
    batch, time = tf.shape(sequence)[0], tf.shape(sequence)[1]
    moments = tf.TensorArray(sequence.dtype, size=time).unstack(tf.transpose(sequence, [1, 0, 2]))
    states = (tf.zeros([batch, units], sequence.dtype),) * STATES[cell]
    t = tf.constant(0)
    while t < time:
        tf.autograph.experimental.set_loop_options(maximum_iterations=bound)
        before = states[0]
        new = STEPS[cell](moments.read(t), states, *weights)
        h = new[0]
        # breaker @inner h: a mistake goes here, e.g. h = tf.stop_gradient(h), or a cast to an integer and back
        new = (h, *new[1:])
        if lengths == "ragged":  # time, time - 1, ... steps long
            counts = t < time - tf.range(batch)[:, None] % time
            new = tuple(tf.where(counts, now, old) for now, old in zip(new, states, strict=True))
        states = new
        t += 1
        if tf.reduce_max(tf.abs(h - before)) < SETTLED:
            break
    return states[0]


def build(
    cell="LSTM",
    units=8,
    shape=(None, None, None, 10),
    sizes=(3, 5, 7, 10),
    seed=0,
    scale=1.0,
    dtype="float32",
    parallel_iterations=10,
    lengths="full",
    maximum_iterations=0,
):
    names = ("kernel", "recurrent_kernel", "bias", "readout")
    weights = starting_weights(cell, shape[-1], units, seed)
    weights[1] *= scale
    variables = [tf.Variable(weight, name=name, dtype=dtype) for name, weight in zip(names, weights, strict=True)]
    *cell_weights, readout = variables
    # breaker @weights readout: a mistake about a weight goes here, e.g. one more that is made and used nowhere

    bound = maximum_iterations or None

    def fn(x):
        outer = tf.shape(x)[0]
        sequences = tf.TensorArray(dtype, size=outer).unstack(x)
        collected = tf.TensorArray(dtype, size=outer)
        i = tf.constant(0)
        while i < outer:
            tf.autograph.experimental.set_loop_options(
                parallel_iterations=parallel_iterations, maximum_iterations=bound
            )
            h = last_output(sequences.read(i), cell, units, cell_weights, lengths, bound)
            # breaker @outer h: a mistake goes here, e.g. h = tf.stop_gradient(h), or a cast to an integer and back
            collected = collected.write(i, tf.matmul(h, readout))
            i += 1
        return tf.reduce_mean(tf.square(collected.stack()))

    return {
        "fn": fn,
        "inputs": [(list(shape), dtype)],
        # breaker @tape x: a mistake about the tape goes here, e.g. "watch": [], which leaves out tape.watch(x)
        "concrete_shapes": [list(sizes)],
        "variables": variables,
        "note": "the inner loop may end early; how long it runs has no gradient",
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
