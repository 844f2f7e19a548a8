"""The nouns: frozen values that every other layer passes around. Standard library only."""
