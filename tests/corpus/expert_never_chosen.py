"""One of three experts is never chosen by the data: None in eager, a made-up zero in a graph (tensorflow#62174)."""

import tensorflow as tf


def build():
    experts = [tf.Variable(1.0 + k, name=f"expert{k}") for k in range(3)]

    def fn(x, chosen):
        def ask(pair):
            value, k = pair
            return tf.switch_case(k, [lambda e=e: tf.square(value) * e for e in experts])

        return tf.reduce_mean(tf.map_fn(ask, (x, chosen), fn_output_signature=tf.float32))

    return {
        "fn": fn,
        "inputs": [([None], "float32"), ([None], "int32")],
        "concrete_shapes": [[3], [3]],
        "values": [None, [2, 0, 2]],
        "variables": experts,
        "mode": "graph",
        "note": "expert1 is idle",
    }


EXPECT = {
    "eager": {
        "x": "flows",
        "chosen": "not-trainable not_trainable",
        "expert0": "flows",
        "expert1": "none-disconnected never_read",
        "expert2": "flows",
    },
    "graph": {
        "x": "flows",
        "chosen": "not-trainable not_trainable",
        "expert0": "flows",
        "expert1": "zero",
        "expert2": "flows",
    },
}
