"""Plain Python loops in eager mode: a Keras cell called by hand, recorded by GradientTape.

Nothing is traced: every iteration runs its ops at once and the tape keeps them all, so this is the slowest way and the
easiest to debug. It is the reference for the other ways: what the tape says here is the gradient. Stay in TensorFlow:
a `.numpy()` on the way leaves the tape without a word.

x is [outer, batch, time, features]; the loss is a scalar. `python python_loop_tape.py` prints one gradient norm each.
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


def build(
    cell="LSTM",
    units=8,
    shape=(None, None, None, 10),
    sizes=(3, 5, 7, 10),
    seed=0,
    scale=1.0,
    dtype="float32",
    layers=1,
    bidirectional=False,
    return_sequences=False,
    lengths="full",
):
    *cell_weights, readout_weight = starting_weights(cell, shape[-1], units, seed)
    for layer in range(1, layers):
        cell_weights += starting_weights(cell, units, units, seed + layer)[:-1]
    cell_weights[1::3] = [scale * weight for weight in cell_weights[1::3]]
    cells = [CELLS[cell](units, dtype=dtype) for _ in range(layers)]
    rnn_cell = cells[0] if layers == 1 else keras.layers.StackedRNNCells(cells, dtype=dtype)
    rnn_cell.build((None, shape[-1]))
    rnn_cell.set_weights(cell_weights)
    floats = keras.DTypePolicy(dtype).variable_dtype  # float32 for mixed_float16
    readout = tf.Variable(readout_weight, name="readout", dtype=floats)
    variables = [*(weight.value for weight in rnn_cell.trainable_weights), readout]
    # breaker @weights readout: a mistake about a weight goes here, e.g. one more that is made and used nowhere

    def walk(sequence, step=1):
        """Over time from a zero state, backwards with step=-1: the last output, or every one in the order of time."""
        batch, time, _ = sequence.shape
        states, outputs = rnn_cell.get_initial_state(batch_size=batch), []
        for t in range(time)[::step]:
            h, new = rnn_cell(sequence[:, t], states)
            # breaker @inner h: a mistake goes here, e.g. h = tf.stop_gradient(h), or a cast to an integer and back
            if lengths == "ragged":  # time, time - 1, ... steps long
                counts = t < time - tf.range(batch)[:, None] % time
                new = tf.nest.map_structure(lambda now, old, counts=counts: tf.where(counts, now, old), new, states)
                h = tf.where(counts, h, outputs[-1] if outputs else tf.zeros_like(h))
            states = new
            outputs.append(h)
        return tf.stack(outputs[::step], 1) if return_sequences else h

    def fn(x):
        collected = []
        for i in range(x.shape[0]):
            h = walk(x[i])
            if bidirectional:
                h += walk(x[i], step=-1)
            # breaker @outer h: a mistake goes here, e.g. h = tf.stop_gradient(h), or a cast to an integer and back
            collected.append(tf.matmul(tf.cast(h, floats), readout))
        return tf.reduce_mean(tf.square(tf.stack(collected)))

    return {
        "fn": fn,
        "inputs": [(list(shape), floats)],
        # breaker @tape x: a mistake about the tape goes here, e.g. "watch": [], which leaves out tape.watch(x)
        "concrete_shapes": [list(sizes)],
        "variables": variables,
        "note": "eager: each iteration is recorded on the tape as it runs",
        "mode": "eager",
    }


def main():
    model = build()
    x = tf.constant(np.random.default_rng(1).normal(size=model["concrete_shapes"][0]), tf.float32)
    sources = {"x": x, **{variable.name.split(":")[0].split("/")[-1]: variable for variable in model["variables"]}}
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = model["fn"](x)
    for name, gradient in zip(sources, tape.gradient(loss, list(sources.values())), strict=True):
        print(f"{name:18}{tf.norm(gradient).numpy():.6g}")


if __name__ == "__main__":
    main()
