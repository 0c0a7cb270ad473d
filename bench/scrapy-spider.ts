/** The Scrapy side of the comparison, written to a temporary folder before it runs. */

export interface ScrapySettings {
  seed: string
  lanes: number
  lanesPerHost: number
  delaySeconds: number
}

/** Scrapy's own defaults but for concurrency, delay and its log; it keeps nothing it fetches. */
export function scrapySpider({ seed, lanes, lanesPerHost, delaySeconds }: ScrapySettings): string {
  return `import scrapy
from scrapy.linkextractors import LinkExtractor


class BenchSpider(scrapy.Spider):
    name = "bench"
    start_urls = ["${seed}"]
    custom_settings = {
        "ROBOTSTXT_OBEY": True,
        "CONCURRENT_REQUESTS": ${lanes},
        "CONCURRENT_REQUESTS_PER_DOMAIN": ${lanesPerHost},
        "DOWNLOAD_DELAY": ${delaySeconds},
        "RANDOMIZE_DOWNLOAD_DELAY": False,
        "COOKIES_ENABLED": False,
        "TELNETCONSOLE_ENABLED": False,
        "LOG_LEVEL": "ERROR",
    }
    extractor = LinkExtractor()

    def parse(self, response):
        for link in self.extractor.extract_links(response):
            yield response.follow(link, callback=self.parse)
`
}
