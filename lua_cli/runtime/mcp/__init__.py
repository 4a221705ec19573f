"""mcp/: the Model Context Protocol. In: messages of a client, an agent's conversation. Out: messages.

The server's side (protocol.py, serving.py) is written here and needs no package.
"""
