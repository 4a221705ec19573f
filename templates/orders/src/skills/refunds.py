"""The skill `refunds`: a document without tools. The model sees its description, and loads refunds.md on demand."""

from lua_cli import LuaSkill

refunds = LuaSkill(
    name="refunds",
    description="How refunds, returns and exchanges work. Load it before explaining the policy or starting a return.",
    instructions="refunds.md",
)
