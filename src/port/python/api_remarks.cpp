#include "port/python/api_remarks.h"

#include <array>

namespace starbridge::port::python {
namespace {

struct Remark {
  std::string_view code;
  std::string_view en;
  std::string_view zh;
};

constexpr std::array<Remark, 9> kRemarks = {{{"other_limit", "see the vendor's remark", "见厂商说明"},
                                             {"may_run_on_cpu", "some cases run on the CPU", "部分情况在 CPU 上执行"},
                                             {"precision", "lower precision", "精度较低"},
                                             {"performance", "slow", "性能较低"},
                                             {"inference_only", "inference only", "仅支持推理"},
                                             {"use_vendor_api", "the vendor advises its own API", "厂商建议使用自有接口"},
                                             {"cpu_only", "runs on the CPU only", "仅在 CPU 上执行"},
                                             {"internal_format", "private memory formats", "私有内存格式"},
                                             {"determinism", "not deterministic", "结果不确定"}}};

}  // namespace

base::Text describe_limits(const std::string& api, const std::string& chip, std::string_view codes) {
  if (codes.empty())
    return base::text("{} is supported on {} for some dtypes or cases", "{} 在 {} 上支持部分数据类型或情况", api, chip);
  std::string en;
  std::string zh;
  while (!codes.empty()) {
    std::size_t comma = codes.find(',');
    std::string_view code = codes.substr(0, comma);
    codes = comma == std::string_view::npos ? std::string_view() : codes.substr(comma + 1);
    const Remark* found = nullptr;
    for (const Remark& remark : kRemarks) {
      if (remark.code == code) found = &remark;
    }
    en += (en.empty() ? "" : ", ") + std::string(found != nullptr ? found->en : code);
    zh += (zh.empty() ? "" : "，") + std::string(found != nullptr ? found->zh : code);
  }
  return {fmt::format("{} has limits on {}: {}", api, chip, en), fmt::format("{} 在 {} 上有限制：{}", api, chip, zh)};
}

}  // namespace starbridge::port::python
