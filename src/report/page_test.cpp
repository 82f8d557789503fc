#include "report/page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.hpp"

namespace weir::report {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// What the page's program will read: the text between its tags.
Json results_of(const std::string& page) {
  const std::string open = "<script type=\"application/json\" id=\"results\">";
  const std::size_t begin = page.find(open);
  EXPECT_NE(begin, std::string::npos);
  const std::size_t end = page.find("</script>", begin);
  return Json::parse(page.substr(begin + open.size(), end - begin - open.size()));
}

Page one_part(Json document) {
  Page page;
  page.title = "melt";
  page.command = {"weir", "report", "fit.json"};
  page.host = "node17";
  page.date = "2026-03-01T12:00:00Z";
  Part part;
  part.source = "fit.json";
  part.document = std::move(document);
  page.parts.push_back(std::move(part));
  return page;
}

TEST(Page, HoldsItsResultsAndHowItWasMade) {
  const std::string page =
      compose(one_part({{"schema", "weir.fit/1"}, {"groups", Json::array({1.5, nullptr})}}));
  EXPECT_THAT(page, StartsWith("<!doctype html>"));
  const Json results = results_of(page);
  EXPECT_EQ(results["schema"], "weir.page/1");
  EXPECT_EQ(results["title"], "melt");
  EXPECT_EQ(results["made"]["command"], Json({"weir", "report", "fit.json"}));
  EXPECT_EQ(results["made"]["host"], "node17");
  EXPECT_EQ(results["made"]["date"], "2026-03-01T12:00:00Z");
  EXPECT_FALSE(results["made"]["weir"].get<std::string>().empty());
  EXPECT_EQ(results["parts"][0]["document"]["groups"], Json::array({1.5, nullptr}));
  EXPECT_TRUE(results["parts"][0]["problem"].is_null());
}

TEST(Page, NamesNeverLeaveTheirScriptElement) {
  const std::string name = "</script><script>alert(1)</script><!-- \xe2\x80\xa8\xe2\x80\xa9 &amp; \"'";
  const std::string page = compose(one_part({{"schema", "weir.fit/1"}, {name, name}}));
  const Json results = results_of(page);  // would end at the first closing tag
  EXPECT_EQ(results["parts"][0]["document"][name], name);
  EXPECT_THAT(page, Not(HasSubstr("alert(1)</script>")));
  EXPECT_THAT(page, Not(HasSubstr("\xe2\x80\xa8")));
}

TEST(Page, BytesThatAreNoTextAreReplaced) {
  const Json results = results_of(compose(one_part({{"schema", "weir.stat/1"},
                                                    {"name",
                                                     "a\xff\xfe"
                                                     "b"}})));
  EXPECT_EQ(results["parts"][0]["document"]["name"],
            "a\xef\xbf\xbd\xef\xbf\xbd"
            "b");
}

TEST(Page, AResultThatCouldNotBeReadLeavesItsReason) {
  Page page = one_part(nullptr);
  page.parts[0].problem = "fit.json: is no JSON";
  const Json results = results_of(compose(page));
  EXPECT_TRUE(results["parts"][0]["document"].is_null());
  EXPECT_EQ(results["parts"][0]["problem"], "fit.json: is no JSON");
}

TEST(Page, HasNoAddressesAndAllowsItsOwnProgramOnly) {
  const std::string page = compose(one_part({{"schema", "weir.fit/1"}}));
  EXPECT_THAT(page, HasSubstr("Content-Security-Policy\" content=\"default-src 'none'; script-src 'sha256-"));
  for (const char* const address : {"src=\"http", "href=\"http", "src=\"/", "href=\"/", "@import"})
    EXPECT_THAT(page, Not(HasSubstr(address))) << address;
}

}  // namespace
}  // namespace weir::report
