"""runtime/flows/: runs what flows/ loaded. In: checked flows, a message. Out: a message, dropped, or a failure. Starts
Python tools through the runtime alone, and is bounded in time.
"""
