"""flows/: agents in YAML, read and checked. In: YAML files, documents. Out: `Flows`, compiled, and findings with
places. Runs nothing: runtime/flows/ does.
"""
