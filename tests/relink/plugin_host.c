/* plugin_host MODULE [again]: loads the module so that nobody else sees its symbols, runs it, and
   unloads it. "again": has loaded it for all to see before, and asked it; now the module and its
   libraries come to other addresses. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static void* load(const char* path, int how) {
  void* const module = dlopen(path, RTLD_NOW | how);
  if (module) return module;
  fprintf(stderr, "%s\n", dlerror());
  exit(1);
}

static int call(void* module, const char* name) {
  int (*const function)(void) = (int (*)(void))dlsym(module, name);
  return function ? function() : 1;
}

int main(int argc, char** argv) {
  if (argc == 3 && strcmp(argv[2], "again") == 0) {
    void* const module = load(argv[1], RTLD_GLOBAL);
    if (call(module, "is_initialized") || dlclose(module)) return 1;
    for (int i = 0; i < 100; i++) {
      mmap(0, 1 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    }
    mmap(0, 1 << 28, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (call(load(argv[1], RTLD_GLOBAL), "is_initialized")) return 1;
  } else if (argc != 2) {
    return 1;
  }
  void* const module = load(argv[1], RTLD_LOCAL);
  const int error = call(module, "run");
  return error ? error : dlclose(module);
}
