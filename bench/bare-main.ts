/**
 * The limit: what undici can fetch with nothing around it but a regular expression for links and
 * a set of what was seen. No robots.txt, no politeness, nothing kept.
 *   node bare-main.ts SEED
 */
import { Agent, request } from 'undici'

const IN_FLIGHT = 64
const CONNECTIONS_PER_HOST = 8
const KEEP_ALIVE_MS = 60_000
const HREF = /href="([^"#]+)/g

const dispatcher = new Agent({
  connections: CONNECTIONS_PER_HOST,
  pipelining: 1,
  keepAliveTimeout: KEEP_ALIVE_MS,
})

async function crawl(seed: string): Promise<number> {
  const seen = new Set([seed])
  const queue = [seed]
  let next = 0
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let inFlight = 0
  const advance = (): void => {
    while (inFlight < IN_FLIGHT && next < queue.length) {
      inFlight++
      visit(queue[next++]!, seen, queue).then(() => {
        inFlight--
        advance()
      }, reject)
    }
    if (inFlight === 0) resolve()
  }
  advance()
  await promise
  return queue.length
}

async function visit(url: string, seen: Set<string>, queue: string[]): Promise<void> {
  const { body } = await request(url, { dispatcher })
  const html = await body.text()
  const origin = url.slice(0, url.indexOf('/', 'http://'.length))
  for (const [, link = ''] of html.matchAll(HREF)) {
    const target = link.startsWith('/') ? origin + link : link
    if (seen.has(target)) continue
    seen.add(target)
    queue.push(target)
  }
}

const pages = await crawl(process.argv[2] ?? '')
await dispatcher.close()
console.log(JSON.stringify({ pages }))
