"""models/: what answers in a turn. In: the name of a model ("scripted:FILE.json", "anthropic/…"). Out: a `Model`.

Only provider.py uses the network, through the extra `lua-cli[chat]`.
"""
