"""What the explorer is known to say wrongly about the corpus, by test: each entry is an xfail that must fail.

Whoever mends a fault takes its entries out here.
"""

OUTSIDE = "what was copied from a variable before the function ran is told as never read, without the line of the copy"
PYTHON_CHOICE = "an eager branch, range or loop condition leaves no trace in the recording: told as a dropped result"
INTEGER_OUTPUT = (
    "an op that gives integers and has no gradient is told as one that raises LookupError, and does not raise"
)
ZERO_TRIPS = "in TF1 the zero-trip edge of a nested loop counts as a whole path, although the loop surely runs"
AFTER_RECORDING = "tf.gradients adds outputs to a loop that the tape has recorded already: TensorFlow says None"
MASK_UNSEEN = "in a graph the mask of tf.where is not seen around the logarithm"
SCAN_SILENT = "ScanDataset behind ReduceDataset is blamed, where ReduceDataset is the end"
EAGER_MAP_LINE = "the line of an op in a function mapped eagerly is that of the call to tf.map_fn"
CONDITION_FIRST = "the comparison is blamed for its bool, although it only decides which branch is taken"
CREATION_LINE = "a variable that is never read is told without the line at which it was made"
LEAK_LINE = "a tensor that leaks out of a loop is told with the line that trips over it, not with that of the leak"
FRESH_WEIGHTS = "variables made anew in every call are not told of in eager code"
NOT_WARNED = "TensorFlow's backward pass is known to raise here, and nothing warns of it"
LOOP_UNNAMED = "at the time limit the loop that does not end is not named"

KNOWN: dict[str, dict[tuple[str, str], str]] = {
    "measured": {},
    "sound": {
        ("gradients_call_under_tape", "graph"): AFTER_RECORDING,
    },
    "status": {
        ("branch_by_learnt_gate", "eager"): PYTHON_CHOICE,
        ("branch_index_from_float", "eager"): PYTHON_CHOICE,
        ("cast_in_inner_loop", "tf1"): ZERO_TRIPS,
        ("copied_weights", "eager"): OUTSIDE,
        ("copied_weights", "graph"): OUTSIDE,
        ("limit_used_in_condition", "eager"): PYTHON_CHOICE,
        ("table_joined_at_construction", "eager"): OUTSIDE,
        ("table_joined_at_construction", "graph"): OUTSIDE,
        ("trips_from_float", "eager"): PYTHON_CHOICE,
        ("variable_in_dataset_map", "eager"): OUTSIDE,
        ("variable_replaced_by_tensor", "eager"): OUTSIDE,
        ("variable_replaced_by_tensor", "graph"): OUTSIDE,
    },
    "cause": {
        ("bins_by_searchsorted", "eager"): INTEGER_OUTPUT,
        ("bins_by_searchsorted", "graph"): INTEGER_OUTPUT,
        ("bitcast_on_path", "eager"): INTEGER_OUTPUT,
        ("bitcast_on_path", "graph"): INTEGER_OUTPUT,
        ("boxes_kept_by_suppression", "eager"): INTEGER_OUTPUT,
        ("boxes_kept_by_suppression", "graph"): INTEGER_OUTPUT,
        ("branch_by_learnt_gate", "eager"): PYTHON_CHOICE,
        ("branch_by_learnt_gate", "graph"): CONDITION_FIRST,
        ("branch_index_from_float", "eager"): PYTHON_CHOICE,
        ("cast_in_inner_loop", "tf1"): ZERO_TRIPS,
        ("copied_weights", "eager"): OUTSIDE,
        ("copied_weights", "graph"): OUTSIDE,
        ("gradients_call_under_tape", "graph"): AFTER_RECORDING,
        ("histogram_loss", "eager"): INTEGER_OUTPUT,
        ("histogram_loss", "graph"): INTEGER_OUTPUT,
        ("limit_used_in_condition", "eager"): PYTHON_CHOICE,
        ("log_in_where", "graph"): MASK_UNSEEN,
        ("loss_over_dataset", "graph"): SCAN_SILENT,
        ("map_to_integers", "eager"): EAGER_MAP_LINE,
        ("table_joined_at_construction", "eager"): OUTSIDE,
        ("table_joined_at_construction", "graph"): OUTSIDE,
        ("trips_from_float", "eager"): PYTHON_CHOICE,
        ("variable_in_dataset_map", "eager"): OUTSIDE,
        ("variable_replaced_by_tensor", "eager"): OUTSIDE,
        ("variable_replaced_by_tensor", "graph"): OUTSIDE,
        ("weight_never_read", "eager"): CREATION_LINE,
        ("weight_never_read", "graph"): CREATION_LINE,
    },
    "raises": {
        ("attribute_set_in_loop", "graph"): LEAK_LINE,
        ("list_appended_in_loop", "graph"): LEAK_LINE,
    },
    "warned": {
        ("layer_made_in_loop", "eager"): FRESH_WEIGHTS,
        ("recompute_in_loop", "graph"): NOT_WARNED,
        ("second_order_of_scan", "tf1"): NOT_WARNED,
        ("variable_made_per_call", "eager"): FRESH_WEIGHTS,
        ("xla_loop_without_bound", "xla"): NOT_WARNED,
    },
    "endless": {("endless_loop", "graph"): LOOP_UNNAMED},
}
