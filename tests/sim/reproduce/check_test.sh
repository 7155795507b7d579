#!/bin/bash
# docs/reproduction.md is what sim/reproduce writes today, in the section that takes seconds; and
# --check sees a change of one figure, of one line of the summary and of a picture.
set -u
reproduce=$PWD/$1
docs=$PWD/$(dirname "$2")
cd "$TEST_TMPDIR" || exit 1
run() { "$reproduce" --out written --only cluster --check "$1" >log 2>&1; }

"$reproduce" --help >/dev/full 2>log && { echo "help that cannot be printed is no failure"; exit 1; }
grep -q "^reproduce: cannot print: " log || { cat log; exit 1; }

run "$docs" || { cat log; echo "docs/reproduction.md is not what //sim:reproduce writes"; exit 1; }

change() {  # FILE EXPRESSION
  rm -rf kept && cp -rL "$docs" kept && chmod -R u+w kept
  sed -i "$2" "kept/$1"
}
expect_difference() {  # PATTERN FILE EXPRESSION
  change "$2" "$3"
  cmp -s "kept/$2" "$docs/$2" && { echo "$2: not changed by $3"; exit 1; }
  run kept && { echo "not seen: $3"; exit 1; }
  grep -q "$1" log || { cat log; echo "not said: $1"; exit 1; }
}
expect_difference "section '\[CP\] Figs 12 to 17" reproduction.md '/^| 12 | BT /s/213/214/'
expect_difference "summary: .*\[CP\] Figs 12 to 17" reproduction.md '/^| .CP. Figs 12 to 17/s/0\./1./'
expect_difference "reproduction/cp_fig12.svg" reproduction/cp_fig12.svg 's/Fig/fig/'
# Another version of gnuplot draws the same picture otherwise; a text of it is still compared.
other='s/<desc>.*</<desc>Produced by another GNUPLOT</'
change reproduction/cp_fig12.svg "$other;s/viewBox=.*/viewBox='0 0 1 1'/"
run kept || { cat log; echo "a picture of another gnuplot is not taken for the same"; exit 1; }
expect_difference "reproduction/cp_fig12.svg" reproduction/cp_fig12.svg "$other;s/Fig/fig/"
