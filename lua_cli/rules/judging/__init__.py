"""judging/: the machinery around rules: which there are, what they see, and what silences them."""
