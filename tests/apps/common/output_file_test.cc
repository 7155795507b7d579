// What becomes of a file that is there already.
#include "apps/common/output_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace mpiactor::apps {
namespace {

using ::testing::HasSubstr;

std::string contents(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string earlier_file(const std::string& name) {
  const std::string path = ::testing::TempDir() + "/" + name;
  std::ofstream(path) << "an earlier result";
  return path;
}

TEST(OutputFile, KeepsWhatIsThereUntilItIsWritten) {
  const std::string path = earlier_file("kept");
  { OutputFile unused("--json", path); }
  EXPECT_EQ(contents(path), "an earlier result");
  OutputFile file("--json", path);
  file.write("a new ");
  file.finish("one");
  EXPECT_EQ(contents(path), "a new one");
}

TEST(OutputFile, OfNothingIsEmpty) {
  const std::string path = earlier_file("emptied");
  OutputFile("--json", path).finish();
  EXPECT_EQ(contents(path), "");
}

TEST(OutputFile, ThatCannotBeOpenedIsRefusedAtOnce) {
  try {
    OutputFile("--json", "/nonexistent/file");
    FAIL() << "a file in no folder was opened";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("--json /nonexistent/file: cannot be opened for writing: "
                                        "No such file"));
  }
}

TEST(OutputFile, DevicesAreWrittenAsTheyAre) {
  EXPECT_NO_THROW(OutputFile("--json", "/dev/null").finish("text"));
  EXPECT_THROW(OutputFile("--json", "/dev/full").finish("text"), std::runtime_error);
}

}  // namespace
}  // namespace mpiactor::apps
