#include "tests/conform/judge.h"

#include <algorithm>

namespace sluice::test {
namespace {

// Evidence for a `we_accept` policy: the control's own words, "message:...", or one of these predicates.
bool holds(const std::string& evidence, const ControlRequest& request, const ControlResult& theirs) {
  constexpr std::string_view kMessage = "message:";
  if (evidence.starts_with(kMessage)) return theirs.message == evidence.substr(kMessage.size());
  if (evidence == "breaks_lz4_end_rules") return !lz4_keeps_end_rules(request.in);
  return false;
}

// Evidence for a `we_refuse` policy: the name of our site, "NAME with_dictionary": where the caller gives a preset dictionary.
bool refused_by(std::string_view evidence, const ir::Site* site, const ControlRequest& request) {
  constexpr std::string_view kWithDictionary = " with_dictionary";
  if (evidence.ends_with(kWithDictionary)) {
    if (request.dictionary.empty()) return false;
    evidence.remove_suffix(kWithDictionary.size());
  }
  return site != nullptr && site->name == evidence;
}

}  // namespace

std::vector<Policy> policies_here(std::vector<Policy> all,
                                  std::optional<Version> (*version_of)(std::string_view control)) {
  std::erase_if(all, [&](const Policy& policy) {
    const auto version = version_of(policy.control);
    return version && !policy.versions.contains(*version);
  });
  return all;
}

Judge::Judge(const std::string& codec) : codec_(codec), policies_(policies_here(policies(codec), control_version)), of_modules_(policies_here(policies_of_modules(codec), control_version)) {}

std::string Judge::compare(const Codec& codec, const Decoded& ours, const ControlRequest& request) {
  std::string complaint;
  if (const auto theirs = control(codec_, request)) {
    complaint = compare_one(codec, ours, request, std::string(control_name(codec_)), *theirs);
  }
  if (!complaint.empty()) return complaint;
  if (const auto theirs = second_control(codec_, request)) {
    complaint = compare_one(codec, ours, request, "libdeflate", *theirs);
  }
  return complaint;
}

std::string Judge::compare_one(const Codec& codec, const Decoded& ours, const ControlRequest& request,
                               const std::string& control, const ControlResult& theirs) {
  const bool accepted = ours.outcome.error == 0;
  if (theirs.verdict == Verdict::TooLarge) {
    return accepted ? control + " makes more output than we do" : std::string();
  }
  if (accepted == (theirs.verdict == Verdict::Accepted)) {
    ++agreed_;
    if (accepted && ours.bytes != theirs.out) return control + " makes other bytes";
    return {};
  }
  const ir::Site* site = site_of(codec.module, ours.outcome.error);
  const auto explains = [&](const Policy& policy) {
    if (policy.control != control) return false;
    return accepted ? policy.who == "we_accept" && holds(policy.evidence, request, theirs)
                    : policy.who == "we_refuse" && refused_by(policy.evidence, site, request);
  };
  if (const auto own = std::ranges::find_if(policies_, explains); own != policies_.end()) {
    used_.insert(own->name);
    return {};
  }
  if (std::ranges::any_of(of_modules_, explains)) return {};
  if (accepted) return "we accept what " + control + " refuses: " + theirs.message;
  return "we refuse what " + control + " accepts: " + error_text(codec.module, ours.outcome.error);
}

std::set<std::string> Judge::unused() const {
  std::set<std::string> names;
  for (const Policy& policy : policies_) {
    if (!used_.contains(policy.name)) names.insert(policy.name);
  }
  return names;
}

}  // namespace sluice::test
