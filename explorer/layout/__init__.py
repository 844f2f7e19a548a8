"""From an exploration to a placed picture: decide what is shown, then place it. No drawing library in here."""
