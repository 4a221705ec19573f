"""child/: what runs inside the processes that import users' tools, and the one way to start such a process.

In: a request of probe/ or runtime/ (JSON). Out: frames on a pipe of its own. `launch.py` is the parent's side;
everything else runs in the child, under whichever Python the project has: standard library, the SDK, and pydantic
where that Python has it. Nothing here may import another stage.

    launch.py       start, feed, read, stop at the time limit                      (parent)
    talk.py         a child that goes on: one command after another                (parent)
    begin.py        starts a process before its order is known (started.py, forked.py: how) (parent)
    process.py      a child that was begun and its pipes                           (parent)
    environment.py  what a child has as its environment                            (parent)
    start.py        the script: the SDK's finder, the request
    early.py        what is imported before the request comes
    supervise.py    forks; outlives the tool and kills whatever it left behind
    wire.py         requests and frames                                            (both sides)
    confine.py      limits, descriptors, the working folder, the import path
    watch.py        says where a tool is when its time is up
    run.py          one call: import, input, execute, encode
    converse.py     a skill in a conversation: calls, and                          (loops.py: one event loop for all)
    conditions.py   conditions, asked together
    asking.py       answers for `User` and `Data`
    tries.py        many calls, each in a fork                                     (forks.py: a fork with a time limit)
    look.py         the probe: import each tool, read its schema
    load.py         from names to the class, its instance and its input
    given.py        what a tool takes, as a value
    calling.py      how `execute` is called
    schema.py       a tool's input and output as JSON Schema                       (generator.py: as pydantic writes it)
    annotations.py  the types of `execute`'s parameters and result
    generics.py     what type variables stand for in a tool's class
    typeddict.py    TypedDicts that pydantic cannot read under older Pythons
    encode.py       values → JSON text                          (rich.py: the types that are no JSON by themselves)
    failure.py      exceptions → plain data: the user's frames, a hint
    offline.py      no network while the probe looks, or a case plays HTTP
    exchanges.py    HTTP that a case plays or records
"""
