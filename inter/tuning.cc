#include "inter/tuning.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>

#include "inter/shown.h"
#include "inter/tofu_algos/torus.h"

namespace mpiactor::inter {
namespace {

using Json = nlohmann::json;

constexpr const char* kFormat = "mpiactor-tuning-1";
// That a table can name.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 62;
// As of MPIACTOR_SEGMENT: MPI counts the bytes of a segment in an int.
constexpr std::uint64_t kShortestSegmentBytes = 1 << 10;
constexpr std::uint64_t kLongestSegmentBytes = std::uint64_t{1} << 30;

std::string joined(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : ", ") + word;
  return all;
}

// At which line of a text the keys of its first levels, and their objects, begin, by their place:
// "link.network", "bcast[1]", "bcast[1].up_to".
class Lines {
 public:
  // Counts what the parser has read.
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;
    Iterator(const char* at, int* line) : at_(at), line_(line) {}
    reference operator*() const { return *at_; }
    Iterator& operator++() {
      if (*at_++ == '\n') ++*line_;
      return *this;
    }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }
    bool operator!=(const Iterator& other) const { return at_ != other.at_; }

   private:
    const char* at_;
    int* line_;
  };

  // Parses, and keeps the lines.
  Json parse(std::string_view text) {
    const auto note = [this](int depth, Json::parse_event_t event, const Json& parsed) {
      if (event == Json::parse_event_t::key && depth == 1) {
        list_ = parsed.get<std::string>();
        rules_ = 0;
        add(list_);
      } else if (event == Json::parse_event_t::object_start && depth == 2) {
        rule_ = list_ + "[" + std::to_string(rules_++) + "]";
        add(rule_);
      } else if (event == Json::parse_event_t::key && (depth == 2 || depth == 3)) {
        add((depth == 2 ? list_ : rule_) + "." + parsed.get<std::string>());
      }
      return true;
    };
    return Json::parse(Iterator(text.data(), &line_), Iterator(text.data() + text.size(), &line_),
                       note);
  }
  // Of the place, or of what it lies in.
  int of(std::string place) const {
    for (;;) {
      if (const auto found = lines_.find(place); found != lines_.end()) return found->second;
      const std::size_t end = place.find_last_of(".[");
      if (end == std::string::npos) return 1;
      place.resize(end);
    }
  }
  int here() const { return line_; }
  // A place that is there twice, the first of them; else empty. Of two the parser keeps one.
  const std::string& twice() const { return twice_; }

 private:
  void add(const std::string& place) {
    if (!lines_.emplace(place, line_).second && twice_.empty()) twice_ = place;
  }

  int line_ = 1;
  std::string list_;
  std::string rule_;
  int rules_ = 0;
  std::string twice_;
  std::map<std::string, int> lines_;
};

// One table that is being read; every complaint names it and the place.
class Reader {
 public:
  explicit Reader(std::string name) : name_(std::move(name)) {}

  Json parse(std::string_view text) {
    try {
      Json json = lines_.parse(text);
      if (!lines_.twice().empty()) fail(lines_.twice(), "is there twice");
      return json;
    } catch (const Json::parse_error& error) {
      fail_at(lines_.here(), "byte " + std::to_string(error.byte), error.what());
    } catch (const Json::exception& error) {  // a number that no double can be
      fail_at(lines_.here(), "table", error.what());
    }
  }

  [[noreturn]] void fail(const std::string& place, const std::string& what) const {
    fail_at(lines_.of(place), place, what);
  }
  [[noreturn]] void fail_at(int line, const std::string& place, const std::string& what) const {
    throw TuningError("tuning table '" + name_ + "', line " + std::to_string(line) + ": " + place +
                      ": " + what);
  }

  void check_keys(const Json& object, const std::string& place,
                  const std::vector<std::string>& allowed) const {
    if (!object.is_object()) fail(place, "is not an object");
    for (const auto& [key, value] : object.items()) {
      if (std::find(allowed.begin(), allowed.end(), key) == allowed.end()) {
        fail(place, "unknown key '" + key + "'; allowed: " + joined(allowed));
      }
    }
  }

  double positive(const Json& value, const std::string& place) const {
    if (!value.is_number() || value.get<double>() <= 0) {
      fail(place, shown(value) + " is not a positive number");
    }
    return value.get<double>();
  }

  std::string text(const Json& value, const std::string& place) const {
    if (!value.is_string()) fail(place, shown(value) + " is not a text");
    return value.get<std::string>();
  }
  // Where a number may stand without quotes.
  std::string number_or_text(const Json& value) const {
    return value.is_string() ? value.get<std::string>() : shown(value);
  }

  // "64K" or a number.
  std::uint64_t bytes(const Json& value, const std::string& place) const {
    const std::string digits = number_or_text(value);
    std::uint64_t number = 0;
    const char* const last = digits.data() + digits.size();
    const auto [end, error] = std::from_chars(digits.data(), last, number);
    const std::string_view suffix(end, static_cast<std::size_t>(last - end));
    const int shift = suffix.empty()  ? 0
                      : suffix == "K" ? 10
                      : suffix == "M" ? 20
                      : suffix == "G" ? 30
                                      : -1;
    if (error != std::errc() || shift < 0 || number == 0 || number > (kMostBytes >> shift)) {
      fail(place, "'" + digits + "' is not a size; allowed: a positive number, with K, M or G");
    }
    return number << shift;
  }

  // "4", "2..8" or "9..".
  Rule::Range range(const Json& value, const std::string& place) const {
    const std::string whole = number_or_text(value);
    const std::size_t dots = whole.find("..");
    Rule::Range range;
    range.least = count(whole.substr(0, dots), whole, place);
    if (dots == std::string::npos) {
      range.most = range.least;
    } else if (dots + 2 != whole.size()) {
      range.most = count(whole.substr(dots + 2), whole, place);
    }
    if (range.least > range.most) fail(place, "'" + whole + "' is an empty range");
    return range;
  }

  bool truth(const Json& value, const std::string& place) const {
    if (!value.is_boolean()) fail(place, shown(value) + " is unknown; allowed: true, false");
    return value.get<bool>();
  }

  // Which of the words it is.
  std::size_t one_of(const Json& value, const std::string& place,
                     const std::vector<std::string>& words) const {
    const auto word = std::find_if(words.begin(), words.end(),
                                   [&](const std::string& each) { return value == each; });
    if (word != words.end()) return static_cast<std::size_t>(word - words.begin());
    fail(place, shown(value) + " is unknown; allowed: " + joined(words));
  }

  void where(const Json& value, const std::string& place, Rule& rule) const {
    if (value.contains("nodes")) rule.nodes = range(value["nodes"], place + ".nodes");
    if (value.contains("ranks")) rule.ranks = range(value["ranks"], place + ".ranks");
    if (value.contains("crowded")) rule.crowded = truth(value["crowded"], place + ".crowded");
    if (value.contains("never_worse")) {
      rule.never_worse = truth(value["never_worse"], place + ".never_worse");
    }
    if (value.contains("shape")) {
      try {
        rule.shape = parse_shape(number_or_text(value["shape"]));
      } catch (const TorusError& error) {
        fail(place + ".shape", error.what());
      }
    }
    if (value.contains("network")) {
      rule.network = network(value["network"], place + ".network");
    }
  }

  void sizes(const Json& value, const std::string& place, Rule& rule) const {
    if (value.contains("of")) {
      rule.of = static_cast<Rule::Measure>(
          one_of(value["of"], place + ".of", {"call", "message", "buffer", "buffers"}));
    }
    const auto read = [&](const char* key) { return bytes(value[key], place + "." + key); };
    if (value.contains("from")) rule.least_bytes = read("from");
    if (value.contains("over")) rule.least_bytes = std::max(rule.least_bytes, read("over") + 1);
    if (value.contains("up_to")) rule.up_to_bytes = read("up_to");
    if (value.contains("below")) rule.up_to_bytes = std::min(rule.up_to_bytes, read("below") - 1);
    if (rule.least_bytes > rule.up_to_bytes) fail(place, "no size fits it");
  }

  void way(const Json& value, const std::string& place, Call call, Rule& rule) const {
    if (!value.contains("algorithm")) fail(place, "has no \"algorithm\"");
    const std::string name = text(value["algorithm"], place + ".algorithm");
    const auto known = std::find_if(std::begin(kWays), std::end(kWays), [&](Way way) {
      return may_go(call, way) && name == way_name(way);
    });
    if (known != std::end(kWays)) {
      rule.way = *known;
    } else if (const auto collective = collective_of(call)) {
      rule.algorithm = find_algorithm(*collective, name);
    }
    if (known == std::end(kWays) && !rule.algorithm) {
      fail(place + ".algorithm", "'" + name + "' is unknown; allowed: " + joined(rule_names(call)));
    }
    if (value.contains("segment")) {
      if (!rule.algorithm || call == Call::kReduceScatter) {
        fail(place + ".segment", "'" + name + "' has no segments to set");
      }
      rule.segment_bytes = bytes(value["segment"], place + ".segment");
      if (rule.segment_bytes < kShortestSegmentBytes || rule.segment_bytes > kLongestSegmentBytes) {
        fail(place + ".segment", shown(value["segment"]) + " is not allowed; allowed: 1K to 1G");
      }
    }
    if (value.contains("calls")) {
      rule.blocking = one_of(value["calls"], place + ".calls", {"all", "blocking"}) == 1;
      if (rule.blocking && rule.way != Way::kLibrary) {
        fail(place + ".calls", "\"blocking\" goes with \"algorithm\": \"library\" alone");
      }
    }
    if (value.contains("combine")) {
      rule.by_arrival = one_of(value["combine"], place + ".combine", {"order", "arrival"}) == 1;
      const bool possible = is_reduction(call) && !rule.algorithm && rule.way != Way::kLibrary &&
                            rule.way != Way::kShares &&
                            (rule.way != Way::kDirect || call != Call::kAllreduce);
      if (rule.by_arrival && !possible) {
        fail(place + ".combine", "\"arrival\" is not possible in " + std::string(call_name(call)) +
                                     " by '" + name + "'");
      }
    }
  }

  Rule rule(const Json& value, const std::string& place, Call call) const {
    check_keys(value, place,
               {"nodes", "ranks", "crowded", "never_worse", "shape", "network", "of", "from",
                "over", "up_to", "below", "calls", "combine", "algorithm", "segment", "why"});
    Rule rule;
    rule.line = lines_.of(place);
    way(value, place, call, rule);
    where(value, place, rule);
    sizes(value, place, rule);
    if (value.contains("why")) rule.why = text(value["why"], place + ".why");
    return rule;
  }

  std::vector<Rule> rules(const Json& list, Call call) const {
    const std::string name = call_name(call);
    if (!list.is_array()) fail(name, "is not a list of rules");
    std::vector<Rule> found;
    for (const Json& value : list) {
      found.push_back(rule(value, name + "[" + std::to_string(found.size()) + "]", call));
    }
    return found;
  }

  // Changes what the table names.
  void link(const Json& value, LinkModel& link) const {
    check_keys(value, "link", {"latency_us", "bandwidth_mbps", "reduce_mbps", "network"});
    const auto read = [&](const char* key, double& number) {
      if (value.contains(key)) number = positive(value[key], std::string("link.") + key);
    };
    read("latency_us", link.latency_us);
    read("bandwidth_mbps", link.bandwidth_mbps);
    read("reduce_mbps", link.reduce_mbps);
    if (!value.contains("network")) return;
    link.network = network(value["network"], "link.network");
  }

 private:
  NetworkKind network(const Json& value, const std::string& place) const {
    return one_of(value, place, {"switch", "torus"}) == 0 ? NetworkKind::kSwitch
                                                          : NetworkKind::kTorus;
  }

  std::int64_t count(const std::string& digits, const std::string& whole,
                     const std::string& place) const {
    std::int64_t number = 0;
    const char* const last = digits.data() + digits.size();
    const auto [end, error] = std::from_chars(digits.data(), last, number);
    if (error != std::errc() || end != last || number < 1) {
      fail(place, "'" + whole + "' is not a number; allowed: 4, 2..8 or 9..");
    }
    return number;
  }

  std::string name_;
  Lines lines_;
};

}  // namespace

Tuning Tuning::parse(std::string_view json_text, const std::string& name) {
  Reader reader(name);
  const Json json = reader.parse(json_text);
  std::vector<std::string> keys = {"format", "link"};
  for (const Call call : all_calls()) keys.push_back(call_name(call));
  keys.push_back("comment");
  reader.check_keys(json, "table", keys);
  if (!json.contains("format") || json["format"] != kFormat) {
    reader.fail("format", std::string("must be \"") + kFormat + "\"");
  }
  Tuning tuning;
  if (json.contains("link")) reader.link(json["link"], tuning.link);
  for (const Call call : all_calls()) {
    const std::string place = call_name(call);
    if (json.contains(place)) {
      tuning.rules[static_cast<std::size_t>(call)] = reader.rules(json[place], call);
    }
  }
  return tuning;
}

}  // namespace mpiactor::inter
