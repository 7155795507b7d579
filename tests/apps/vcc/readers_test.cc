// Data files: what is read, and what every kind of bad file is refused with.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "apps/vcc/data_readers.h"
#include "apps/vcc/matrix_writer.h"

namespace mpiactor::vcc {
namespace {

using Reader = DataTable (*)(std::istream&, const std::string&);
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsNan;
using ::testing::StartsWith;

DataTable read(Reader reader, const std::string& text) {
  std::istringstream input(text);
  return reader(input, "file");
}

// The message of the error that reading `text` gives; empty where it gives none.
std::string error_of(Reader reader, const std::string& text) {
  try {
    read(reader, text);
  } catch (const DataError& error) {
    return error.what();
  }
  return "";
}

TEST(Csv, ReadsColumnsAndNames) {
  const DataTable table = read(read_csv, "a,\"b, the second\",c\n1,2,3\n-4.5e1, 5 ,+6\n");
  EXPECT_EQ(table.observations, 2);
  EXPECT_EQ(table.variables, 3);
  EXPECT_THAT(table.names, ElementsAre("a", "b, the second", "c"));
  EXPECT_THAT(table.values, ElementsAre(1, -45, 2, 5, 3, 6));
}

TEST(Csv, ReadsWithoutNamesAndWithoutALastNewline) {
  const DataTable table = read(read_csv, "\xef\xbb\xbf\"1\",2\r\n\r\n3,4\r\n\n5,6");
  EXPECT_THAT(table.names, IsEmpty());
  EXPECT_THAT(table.values, ElementsAre(1, 3, 5, 2, 4, 6));
}

TEST(Csv, ReadsMissingValues) {
  const DataTable table = read(read_csv, ",x\n1,\nNA,nan\nNaN,2\n");
  EXPECT_THAT(table.names, ElementsAre("", "x"));
  EXPECT_THAT(table.values, ElementsAre(1, IsNan(), IsNan(), IsNan(), IsNan(), 2));
  // A first row of missing values alone holds no names.
  EXPECT_EQ(read(read_csv, "NA,\n1,2\n3,4\n").observations, 3);
}

TEST(Csv, ReadsNumbersTooSmallForTheTypeAsZero) {
  EXPECT_THAT(read(read_csv, "1e-400,1\n-1e-400,2\n").values, ElementsAre(0, 0, 1, 2));
}

struct BadFile {
  const char* name;
  const char* text;
  const char* where;    // start of the message
  const char* message;  // part of it
};

class BadCsv : public ::testing::TestWithParam<BadFile> {};

TEST_P(BadCsv, IsRefusedWithFileAndLine) {
  const std::string error = error_of(read_csv, GetParam().text);
  EXPECT_THAT(error, StartsWith(GetParam().where));
  EXPECT_THAT(error, HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Files, BadCsv,
    ::testing::Values(
        BadFile{"ShortRow", "a,b\n1,2\n3\n", "file:3: ", "1 fields; allowed are 2"},
        BadFile{"LongRow", "1,2\n\n3,4,5\n", "file:3: ", "3 fields; allowed are 2"},
        BadFile{"Word", "a,b\n1,2\n3,four\n", "file:3: ", "field 2: 'four' is not a number"},
        BadFile{"WordInFirstRow", "1,two\n3,4\n", "file:1: ", "field 2: 'two' is not a number"},
        BadFile{"HalfANumber", "1,2\n3,4x\n", "file:2: ", "'4x' is not a number"},
        BadFile{"Semicolons", "1;2\n3;4\n", "file:2: ", "'3;4' is not a number"},
        BadFile{"Control", "1,2\n3,\x01\n", "file:2: ", "'?' is not a number"},
        BadFile{"Infinite", "1,2\n3,-inf\n", "file:2: ", "-inf is out of range"},
        BadFile{"Huge", "1,2\n3,1e141\n", "file:2: ", "1e141 is out of range: -1e+140 .. 1e+140"},
        BadFile{"Beyond64Bits", "1,2\n3,1e999\n", "file:2: ", "1e999 is out of range"},
        BadFile{"OpenQuote", "a,b\n1,\"2\n3,4\n", "file:2: ", "quoted field does not end"},
        BadFile{"StrayQuote", "a,b\n1,2\"2\n", "file:2: ", "a quotation mark inside a field"},
        BadFile{"Empty", "", "file: ", "no rows up to the end"},
        BadFile{"BlankLines", "\n \n\n", "file: ", "no rows up to the end"},
        BadFile{"TwoSigns", "1,2\n3,+-4\n", "file:2: field 2: ", "'+-4' is not a number"},
        BadFile{"NamesAlone", "a,b\n", "file: ", "observations 0 is out of range: 2 .."},
        BadFile{"OneObservation", "a,b\n1,2\n", "file: ", "observations 1 is out of range: 2 .."}),
    [](const auto& param) { return param.param.name; });

std::string npy(const std::string& dictionary, const std::string& data, char version = 1) {
  std::string file = "\x93NUMPY";
  file += {version, '\0', static_cast<char>(dictionary.size()), '\0'};
  if (version > 1) file += {'\0', '\0'};
  return file + dictionary + data;
}

template <typename Number>
std::string bytes_of(const std::vector<Number>& numbers) {
  std::string bytes(numbers.size() * sizeof(Number), '\0');
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

TEST(Npy, ReadsBothOrdersAndBothTypes) {
  const double missing = std::numeric_limits<double>::quiet_NaN();
  const auto expect = [](const DataTable& table) {
    EXPECT_EQ(table.observations, 2);
    EXPECT_EQ(table.variables, 3);
    EXPECT_THAT(table.names, IsEmpty());
    EXPECT_THAT(table.values, ElementsAre(1, 4, 2, 5, 3.5, IsNan()));
  };
  expect(read(read_npy, npy("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }  \n",
                            bytes_of<double>({1, 2, 3.5, 4, 5, missing}))));
  expect(read(read_npy, npy("{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }\n",
                            bytes_of<double>({1, 4, 2, 5, 3.5, missing}), 2)));
  const auto single = static_cast<float>(missing);
  expect(read(read_npy, npy("{\"shape\":(2,3),\"fortran_order\":False,\"descr\":\"<f4\"}\n",
                            bytes_of<float>({1, 2, 3.5, 4, 5, single}), 3)));
  expect(read(read_npy, npy("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }\n",
                            bytes_of<float>({1, 4, 2, 5, 3.5, single}))));
}

struct BadArray {
  const char* name;
  std::string file;
  const char* where;
  const char* message;
};

class BadNpy : public ::testing::TestWithParam<BadArray> {};

TEST_P(BadNpy, IsRefusedWithFileAndOffset) {
  const std::string error = error_of(read_npy, GetParam().file);
  EXPECT_THAT(error, StartsWith(GetParam().where));
  EXPECT_THAT(error, HasSubstr(GetParam().message));
}

const std::string kFour = bytes_of<double>({1, 2, 3, 4});

std::string f8(const std::string& shape) {
  return "{'descr': '<f8', 'fortran_order': False, 'shape': " + shape + "}";
}

INSTANTIATE_TEST_SUITE_P(
    Files, BadNpy,
    ::testing::Values(
        BadArray{"Empty", "", "file: offset 0: ", "the file ends inside its magic"},
        BadArray{"NoMagic", "1,2\n3,4\n5,6\n", "file: offset 0: ", "does not start with NumPy's"},
        BadArray{"MagicAlone", "\x93NUMPY\x01", "file: offset 7: ", "ends inside its magic"},
        BadArray{"Version", npy("{}", "", 4), "file: offset 6: ", "version 4; allowed are 1 .. 3"},
        BadArray{"CutHeader", npy(f8("(2, 2)"), "").substr(0, 30),
                 "file: offset 30: ", "the file ends inside its header"},
        BadArray{"LongHeader", std::string("\x93NUMPY\x02\0\xff\xff\xff\x7f", 12),
                 "file: offset 8: ", "header of 2147483647 bytes"},
        BadArray{"NoDictionary", npy("[1, 2]", kFour), "file: offset 10: ", "no '{'"},
        BadArray{"OpenDictionary", npy("{'descr': '<f8'", ""), "file: offset 25: ", "neither ','"},
        BadArray{"NoShape", npy("{'descr': '<f8', 'fortran_order': False}", kFour),
                 "file: offset 50: ", "no key 'shape'"},
        BadArray{"OtherKey", npy("{'color': 'red'}", kFour), "file: offset 19: ", "key 'color'"},
        BadArray{"Twice", npy("{'descr': '<f8', 'descr': '<f4'}", kFour),
                 "file: offset 41: ", "a second time"},
        BadArray{"Order", npy("{'fortran_order': 1}", kFour), "file: offset 28: ", "neither True"},
        BadArray{"Integers",
                 npy("{'descr': '<i8', 'fortran_order': False, 'shape': (2, 2)}", kFour),
                 "file: offset ", "dtype '<i8'; allowed are '<f8' (float64) and '<f4'"},
        BadArray{"BigEndian",
                 npy("{'descr': '>f8', 'fortran_order': False, 'shape': (2, 2)}", kFour),
                 "file: offset ", "dtype '>f8'"},
        BadArray{"Structure",
                 npy("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (2, 2)}", kFour),
                 "file: offset ", "descr is a structure"},
        BadArray{"OneDimension", npy(f8("(4,)"), kFour), "file: offset ", "1 dimensions; allowed"},
        BadArray{"NegativeShape", npy(f8("(-2, 2)"), kFour), "file: offset ", "no whole number"},
        BadArray{"HugeShape", npy(f8("(99999999999999999999, 2)"), kFour), "file: offset ",
                 "no whole number of 64 bits"},
        BadArray{"UnbackedShape", npy(f8("(2000000000, 2000000000)"), kFour), "file: offset ",
                 "the file ends after 32 bytes"},
        BadArray{"OneObservation", npy(f8("(1, 4)"), kFour),
                 "file: ", "observations 1 is out of range"},
        BadArray{"NoVariables", npy(f8("(4, 0)"), ""), "file: ", "variables 0 is out of range"},
        BadArray{"Truncated", npy(f8("(2, 2)"), kFour.substr(0, 31)), "file: offset ",
                 "the file ends after 31 bytes; shape (2, 2) of <f8 takes 32 bytes from offset 67"},
        BadArray{"TooLong", npy(f8("(2, 2)"), kFour + "x"), "file: offset ", "1 more bytes"},
        BadArray{
            "Infinite",
            npy(f8("(2, 2)"), bytes_of<double>({1, 2, std::numeric_limits<double>::infinity(), 4})),
            "file: offset 83: ", "inf is out of range"}),
    [](const auto& param) { return param.param.name; });

std::string temporary(const std::string& name) {
  const char* directory = std::getenv("TEST_TMPDIR");
  return std::string(directory ? directory : "/tmp") + "/" + name;
}

TEST(DataFile, KindFollowsContentAndName) {
  const std::string csv = temporary("data.csv");
  std::ofstream(csv) << "x\n1\n2\n";
  EXPECT_THAT(read_data_file(csv).names, ElementsAre("x"));
  const std::string array = temporary("array");
  std::ofstream(array, std::ios::binary) << npy(f8("(2, 2)"), kFour);
  EXPECT_THAT(read_data_file(array).values, ElementsAre(1, 3, 2, 4));
  const std::string cut = temporary("cut.npy");
  std::ofstream(cut) << "\x93NU";
  EXPECT_THROW(
      try { read_data_file(cut); } catch (const DataError& error) {
        EXPECT_THAT(error.what(), StartsWith(cut + ": offset 3: "));
        throw;
      },
      DataError);
}

TEST(MatrixWriter, WritesWhatTheReaderReads) {
  const std::string path = temporary("matrix.npy");
  MatrixWriter writer("--output", path);
  writer.begin(2);
  const double rows[2][2] = {{1, 2}, {3, std::numeric_limits<double>::quiet_NaN()}};
  writer.add(rows[0]);
  writer.add(rows[1]);
  writer.finish();
  const DataTable table = read_data_file(path);
  EXPECT_EQ(table.observations, 2);
  EXPECT_THAT(table.values, ElementsAre(1, 3, 2, IsNan()));
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  EXPECT_EQ(file.tellg(), 128 + 4 * 8);  // the header is padded to a multiple of 64
}

TEST(MatrixWriter, NamesTheFileThatCannotBeWritten) {
  EXPECT_THROW(MatrixWriter("--output", "/nonexistent/m.npy"), std::runtime_error);
  MatrixWriter full("--output", "/dev/full");
  full.begin(1);
  const double value = 1.0;
  full.add(&value);
  EXPECT_THROW(full.finish(), std::runtime_error);
}

}  // namespace
}  // namespace mpiactor::vcc
