#!/bin/bash
# tools/try-release up to the point where it would fetch a release: TRY_RELEASE.
source tests/tools/expect.sh
try_release=$PWD/$1
export TMPDIR=$work/roots
mkdir -p "$work/bin" "$TMPDIR"

expect_status 0 "$try_release" --help
expect_text "try-release RELEASE [COMMAND...]"
expect_status 64 "$try_release"
expect_status 64 "$try_release" ../trixie
expect_text "a release is a name such as trixie"

# Not in a change root.
if ! reason=$(unshare --mount true 2>&1); then
  echo "what comes after the arguments is not tried: $reason"
  finish
fi

# What debootstrap has said last, and nothing that it has written stays.
cat >"$work/bin/debootstrap" <<'END'
#!/bin/sh
echo "$@" >"$(dirname "$0")/arguments"
mkdir "$3/etc"
echo "E: no such release"
exit 1
END
cat >"$work/bin/id" <<'END'
#!/bin/sh
echo 0
END
chmod +x "$work/bin/debootstrap" "$work/bin/id"
expect_status 69 env PATH="$work/bin:$PATH" "$try_release" trixie true
expect_text "E: no such release"
expect_text "debootstrap has failed"
expect_equal "--variant=minbase trixie" "$(cut -d ' ' -f 1,2 "$work/bin/arguments")" "arguments"
grep -q "/debian/*$" "$work/bin/arguments" || fail_check "no mirror: $(cat "$work/bin/arguments")"
expect_equal "" "$(ls "$TMPDIR")" "what is left"
finish
