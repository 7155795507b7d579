/* plugin_host MODULE [again|twice]: loads the module so that nobody else sees its symbols, runs it,
   and unloads it. "again": for all to see, and asks it before and afterwards; "twice": runs it twice
   so. Each time the module and its libraries come to other addresses. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* What the module's function returns, which is loaded for that. */
static int call(const char* path, int how, const char* name) {
  void* const module = dlopen(path, RTLD_NOW | how);
  int (*const function)(void) = module ? (int (*)(void))dlsym(module, name) : 0;
  if (!function) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  const int result = function();
  dlclose(module);
  for (int i = 0; i < 100; i++) {
    mmap(0, 1 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  }
  mmap(0, 1 << 28, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return result;
}

int main(int argc, char** argv) {
  if (argc == 2) return call(argv[1], RTLD_LOCAL, "run");
  if (argc != 3) return 1;
  if (strcmp(argv[2], "twice") == 0) {
    return call(argv[1], RTLD_GLOBAL, "run") || call(argv[1], RTLD_GLOBAL, "run");
  }
  if (strcmp(argv[2], "again") != 0) return 1;
  if (call(argv[1], RTLD_GLOBAL, "is_initialized")) return 1;
  if (call(argv[1], RTLD_GLOBAL, "run")) return 1;
  call(argv[1], RTLD_GLOBAL, "is_initialized");
  return 0;
}
