"""Tables and small pure rules: causes with remedies, statuses, how prediction and measurement are put together."""
