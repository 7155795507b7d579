#!/bin/bash
# Installing packages, with a package manager that only notes what it is asked: BOOTSTRAP PACKAGES.
source tests/tools/expect.sh
mkdir -p "$work/tools" "$work/bin"
cp "$1" "$2" "$work/tools/"
bootstrap=$work/tools/bootstrap

# The list is well formed: Debian package names only, and the tools that the project needs.
expect_equal "" "$(sed -e 's/#.*//' -e 's/[[:space:]]*$//' "$work/tools/packages.txt" |
  grep -Ev '^(\[needed\]|\[optional\]|\[applications\]|[a-z0-9][a-z0-9.+-]+|)$')" "lines that are no package"

cat >"$work/tools/packages.txt" <<'END'
[needed]
present    # comment
absent-one
absent-two
[optional]
absent-three
unknown-one
[applications]
absent-four
END
# A package manager; "installed" holds what is there. What is needed is asked for though it be unknown.
echo present >"$work/installed"
cat >"$work/bin/dpkg-query" <<END
#!/bin/bash
while read -r package; do echo "installed \$package"; done <"$work/installed"
END
cat >"$work/bin/apt-get" <<END
#!/bin/bash
echo "\$*" >>"$work/calls"
[ ! -e "$work/broken" ] || exit 100
for word; do [[ \$word != absent-* ]] || echo "\$word" >>"$work/installed"; done
END
printf '#!/bin/bash\n[[ $2 != unknown-* && $2 != absent-two ]]\n' >"$work/bin/apt-cache"
printf '#!/bin/bash\nexec "$@"\n' >"$work/bin/sudo"
printf '#!/bin/bash\necho "$2=%s"\n' "$work/lists/" >"$work/bin/apt-config"
chmod +x "$work/bin"/*
export PATH=$work/bin:$PATH

expect_status 1 "$bootstrap" --check
expect_line "bootstrap: missing: absent-one absent-two"
[ ! -e "$work/calls" ] || fail_check "--check calls the package manager"
touch "$work/broken"
expect_status 1 "$bootstrap"
expect_text "apt-get could not install: absent-one absent-two"
rm "$work/broken" "$work/calls"
expect_status 0 "$bootstrap"
expect_text "installing 2 packages"
grep -q "install .* absent-one absent-two$" "$work/calls" || fail_check "calls: $(<"$work/calls")"
rm "$work/calls"
expect_status 0 "$bootstrap"
expect_line "bootstrap: all 3 packages are there"
[ ! -e "$work/calls" ] || fail_check "the package manager is called though nothing is missing"
expect_status 0 "$bootstrap" --optional
expect_text "missing: absent-three unknown-one"
expect_text "left out, since this release of Debian has not got them: unknown-one"
expect_text "installing 1 packages"
expect_status 0 "$bootstrap" --optional
expect_text "left out, since this release of Debian has not got them: unknown-one"
expect_no_text "installing"
expect_status 1 "$bootstrap" --applications --check
expect_line "bootstrap: missing: absent-four"
expect_status 1 "$bootstrap" --optional --applications --check
expect_line "bootstrap: missing: unknown-one absent-four"
# Where package lists are there, what they do not name is not missing, and nothing needs root.
mkdir "$work/lists"
touch "$work/lists/debian_dists_trixie_main_Packages.lz4"
expect_status 1 "$bootstrap" --optional --applications --check
expect_line "bootstrap: left out, since this release of Debian has not got them: unknown-one"
expect_line "bootstrap: missing: absent-four"
expect_status 0 "$bootstrap" --optional --check
expect_line "bootstrap: left out, since this release of Debian has not got them: unknown-one"
rm -f "$work/calls"
expect_status 0 "$bootstrap" --optional
expect_line "bootstrap: all other packages are there"
[ ! -e "$work/calls" ] || fail_check "the package manager is called though nothing can be installed"
rm -r "$work/lists"

expect_status 64 "$bootstrap" --everything
expect_text "unknown option --everything; allowed are --optional, --applications, --check, --help"

# Nothing to install with: one clear sentence.
echo present >"$work/installed"
mkdir -p "$work/few"
for tool in bash env readlink dirname sed id; do ln -s "$(command -v $tool)" "$work/few/$tool"; done
expect_status 1 env PATH="$work/few" "$bootstrap"
expect_text "this is no Debian system"
cp "$work/bin/dpkg-query" "$work/few/"
expect_status 1 env PATH="$work/few" "$bootstrap"
expect_text "apt-get is missing: install these packages by hand: absent-one absent-two"
cp "$work/bin/apt-get" "$work/few/"
printf '#!/bin/bash\necho 1000\n' >"$work/few/id2"
rm "$work/few/id"
mv "$work/few/id2" "$work/few/id"
chmod +x "$work/few/id"
expect_status 1 env PATH="$work/few" "$bootstrap"
expect_text "installing packages needs root, and there is no sudo"
cp "$work/bin/sudo" "$work/few/"
expect_status 0 env PATH="$work/few" "$bootstrap"
expect_text "not root: using sudo"
finish
