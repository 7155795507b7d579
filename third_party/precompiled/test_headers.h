// The same for tests.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <thread>

#include "third_party/precompiled/common_headers.h"
