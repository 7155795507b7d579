// Takes the place of compare.cc where SimGrid is not installed.
#include <cstdio>

int main() {
  std::fputs("compare: built without SimGrid 3: install Debian 12's libsimgrid-dev and build again\n",
             stderr);
  return 77;  // "skipped", as test drivers have it
}
