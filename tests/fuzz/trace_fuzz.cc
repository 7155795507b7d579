// The report tool's reader of traces, which is Python: the interpreter runs inside the fuzzer and
// tells it which lines the reader comes to, so that inputs are led by coverage as in the other
// targets.
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <frameobject.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/fuzz/target.h"

namespace {

// libFuzzer takes what is counted here as coverage (FuzzerExtraCounters.cpp).
constexpr std::size_t kCounters = 1 << 14;
__attribute__((section("__libfuzzer_extra_counters"))) std::uint8_t counters[kCounters];

// Steps from line to line, as edges: so the fuzzer also sees in which order they come.
int count_line(PyObject*, PyFrameObject* frame, int what, PyObject*) {
  static std::uintptr_t last = 0;
  if (what != PyTrace_LINE) return 0;
  PyCodeObject* code = PyFrame_GetCode(frame);
  const auto file = reinterpret_cast<std::uintptr_t>(code->co_filename);
  Py_DECREF(code);
  const auto line = static_cast<std::uintptr_t>(PyFrame_GetLineNumber(frame));
  const std::uintptr_t here = ((file >> 4) * 31 + line) * 2654435761u >> 8;
  std::uint8_t& counter = counters[(here ^ (last >> 1)) % kCounters];
  if (counter < 255) ++counter;
  last = here;
  return 0;
}

[[noreturn]] void end_with_error() {
  PyErr_Print();
  std::abort();
}

// tests/tools/report/trace_check.py; the fuzzers run at the top of the sources.
PyObject* load_check() {
  // The sanitizers' own allocator would not see what the interpreter's hands out.
  setenv("PYTHONMALLOC", "malloc", 1);
  setenv("PYTHONDONTWRITEBYTECODE", "1", 1);
  Py_InitializeEx(0);
  if (PyRun_SimpleString("import sys; sys.path.insert(0, 'tests/tools/report')") != 0) std::abort();
  PyObject* module = PyImport_ImportModule("trace_check");
  if (module == nullptr) end_with_error();
  PyObject* check = PyObject_GetAttrString(module, "check");
  if (check == nullptr) end_with_error();
  PyEval_SetTrace(count_line, nullptr);
  return check;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  static PyObject* const check = load_check();
  static const std::string path = "/dev/shm/mpiactor-trace-fuzz-" + std::to_string(getpid());
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(bytes));
  PyObject* taken = PyObject_CallFunction(check, "s", path.c_str());
  std::filesystem::remove(path);
  if (taken == nullptr) end_with_error();
  Py_DECREF(taken);
  return 0;
}
