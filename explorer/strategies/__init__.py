"""The ways to build the loop, the mistakes to put into it, and a user's words turned into a Case. No TensorFlow."""
