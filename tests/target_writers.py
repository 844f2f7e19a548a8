"""Scripts that write models in every format as they are built; what they return is the same model from its code."""

SAVED = """\
import os, shutil
import keras
import tensorflow as tf

HERE = os.path.dirname(os.path.abspath(__file__))

class Saved(tf.Module):
    def __init__(self):
        super().__init__()
        self.rate = tf.Variable(0.3, name="rate")
        self.scale = tf.Variable(0.5, name="scale")

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def run(self, x):
        def inner(state):
            return tf.while_loop(lambda j, _: j < 2, lambda j, s: (j + 1, tf.sin(s * self.rate) + x), (0, state))[1]
        return tf.reduce_sum(tf.while_loop(lambda i, _: i < 3, lambda i, s: (i + 1, inner(s) * self.scale), (0, x))[1])

    @tf.function(input_signature=[tf.TensorSpec([2], tf.float32)])
    def cut(self, x):
        return tf.reduce_sum(tf.round(x) * self.scale)

@keras.saving.register_keras_serializable(package="mine")
class Own(keras.layers.Layer):
    def call(self, x):
        return x * 2.0

def sequence(*layers):
    return keras.Sequential([keras.Input((None, 4)), *layers])

def build():
    model, to = Saved(), lambda name: os.path.join(HERE, name)
    if not os.path.exists(to("one")):
        tf.saved_model.save(model, to("one"), signatures={"run": model.run})
        tf.saved_model.save(model, to("two"), signatures={"run": model.run, "cut": model.cut})
        shutil.make_archive(to("one"), "zip", to("one"))
        sequence(keras.layers.GRU(3), keras.layers.Dense(2, activation="softmax")).save(to("model.keras"))
        sequence(Own()).save(to("own.keras"))
        sequence(keras.layers.Lambda(lambda x: x * 2.0)).save(to("lambda.keras"))
    return {"fn": model.run, "inputs": [([None], "float32")], "concrete_shapes": [[2]],
            "variables": [model.rate, model.scale]}
"""

FROZEN = """\
import os
import tensorflow as tf

HERE = os.path.dirname(os.path.abspath(__file__))
v1 = tf.compat.v1

def nested(x, w):
    def inner(s):
        return tf.while_loop(lambda j, _: j < 2, lambda j, t: (j + 1, tf.sin(t * w) + x), (0, s))[1]
    return tf.reduce_sum(tf.while_loop(lambda i, _: i < 3, lambda i, s: (i + 1, inner(s)), (0, x), name="outer")[1])

def mapped(x, w):
    return tf.reduce_sum(tf.map_fn(lambda e: tf.scan(lambda a, b: tf.tanh(a * w + b), e), x))

def branching(x, w):
    step = lambda i, s: (i + 1, tf.cond(i > 1, lambda: s * w, lambda: tf.sin(s)))
    return tf.reduce_sum(tf.while_loop(lambda i, _: i < 3, step, (0, tf.round(x) + w), name="outer")[1])

def write(fn, shape, *files):
    with tf.Graph().as_default() as graph:
        fn(v1.placeholder(tf.float32, shape, "x"), v1.placeholder(tf.float32, [], "w"))
        for file in files:
            tf.io.write_graph(graph, HERE, file, as_text=file.endswith("txt"))

def build(which="nested"):
    write(nested, [None], "graph.pb", "graph.pbtxt")
    write(mapped, [None, None, 4], "mapped.pb")
    write(branching, [None], "branching.pb")
    shape = [None, None, 4] if which == "mapped" else [None]
    return {"fn": {"nested": nested, "mapped": mapped}[which], "mode": "tf1",
            "inputs": [(shape, "float32"), ([], "float32")], "concrete_shapes": [[3] * (len(shape) - 1) + [4], []]
            if which == "mapped" else [[2], []]}
"""

CALLABLES = """\
from __future__ import annotations
import keras
import tensorflow as tf

class Module(tf.Module):
    def __init__(self, units=2):
        super().__init__()
        self.w = tf.Variable(tf.ones([3, units]), name="w")

    @tf.function(input_signature=[tf.TensorSpec([None, 3])])
    def step(self, x):
        return tf.reduce_sum(x @ self.w)

    def plain(self, x: tf.TensorSpec([None, 3])):
        return tf.reduce_sum(x @ self.w)

module = Module()

def make(units=2):
    return Module(units)

@tf.function(input_signature=[{"a": tf.TensorSpec([2]), "b": [tf.TensorSpec([2]), tf.TensorSpec([], tf.int32)]}])
def packed(parts):
    return tf.reduce_sum(parts["a"] * parts["b"][0])

def annotated(x: tf.TensorSpec([None, 3]), scale=2.0):
    return tf.reduce_sum(x) * scale

def bare(x):
    return tf.reduce_sum(x)

model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(2)])
layer = keras.layers.SimpleRNN(2)
layer.build((None, 5, 4))
"""
