// The environment's settings as rank 0 sends them: lines NAME=VALUE.
#include "actor/config/settings.h"
#include "tests/fuzz/target.h"

using namespace mpiactor;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  const SettingTexts texts = decode_settings(fuzz::text_of(data, bytes));
  const SettingTexts sent = decode_settings(encode_settings(texts));
  fuzz::require(decode_settings(encode_settings(sent)) == sent, "settings survive being sent");
  unknown_setting_warnings(texts);
  describe_difference(texts, {});
  fuzz::takes<SettingError>([&] {
    const Settings settings = parse_settings(texts);
    fuzz::require(settings.candidates >= 1 && settings.window >= 1 && settings.warmup_calls >= 0,
                  "counts are within their bounds");
  });
  for (const auto& entry : texts) {
    fuzz::takes<SettingError>([&] {
      const std::uint64_t size = parse_bytes(entry.second);
      fuzz::require(parse_bytes(format_bytes(size)) == size, "sizes survive being printed");
    });
  }
  return 0;
}
