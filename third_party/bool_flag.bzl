"""A yes-or-no build setting, for select()."""

# The value is for config_setting alone.
def _bool_flag(_ctx):
    return []

bool_flag = rule(
    implementation = _bool_flag,
    build_setting = config.bool(flag = True),
)
