// Takes the place of compare.cc where SimGrid is not installed.
#include <cstdio>

int main() {
  std::fputs("compare: built without SimGrid: install the package libsimgrid-dev and build again\n",
             stderr);
  return 77;  // "skipped", as test drivers have it
}
