/* Loads the module named by its argument so that nobody else sees its symbols, and unloads it. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char** argv) {
  void* module = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : 0;
  int (*run)(void) = module ? (int (*)(void))dlsym(module, "run") : 0;
  if (!run) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  const int error = run();
  return error ? error : dlclose(module);
}
