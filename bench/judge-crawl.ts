/** What the web's own log says of one crawl. */
import { judgeHits, type HitJudge } from '@minga/testkit'

export interface Judgement {
  pages: number
  /** Between the first and the last hit: without starting and stopping. */
  crawlSeconds: number
  refetched: number
  /** Of all requests, robots.txt included. */
  anyRequest: EarlyRequests
  /** As if robots.txt had not been asked for: some crawlers do not count it as a visit. */
  betweenPages: EarlyRequests
}

export interface EarlyRequests {
  violations: number
  /** Gaps under half the delay: no matter of where one starts to count. */
  gross: number
}

const MICROSECONDS_PER_SECOND = 1_000_000

export function judgeCrawl(judge: HitJudge, delayMs: number): Judgement {
  const all = judge.hits()
  const pages = all.filter(({ path, status }) => path.startsWith('/p/') && status === 200)
  const first = all.reduce((t, hit) => Math.min(t, hit.t), Infinity)
  const last = all.reduce((t, hit) => Math.max(t, hit.end ?? hit.t), 0)
  const withoutRobots = judgeHits(all.filter(({ path }) => path !== '/robots.txt'))
  return {
    pages: new Set(pages.map(({ url }) => url)).size,
    crawlSeconds: (last - first) / MICROSECONDS_PER_SECOND,
    refetched: judge.refetched().length,
    anyRequest: earlyRequests(judge, delayMs),
    betweenPages: earlyRequests(withoutRobots, delayMs),
  }
}

/** By address: each host of this web has one of its own, and a crawler may call it by a name. */
function earlyRequests(judge: HitJudge, delayMs: number): EarlyRequests {
  return {
    violations: judge.violations({ delayMs, per: 'address' }).length,
    gross: judge.violations({ delayMs: delayMs / 2, per: 'address' }).length,
  }
}
