/**
 * Crawlee's CheerioCrawler, tuned for speed: memory storage that is never written, no session
 * pool, all lanes open from the start.
 *   node crawlee-main.ts PEERS_FOLDER SEED LANES DELAY_SECONDS
 */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** The few names used here: the package lives outside the repository, so its types do too. */
interface Crawlee {
  CheerioCrawler: new (
    options: object,
    configuration: object,
  ) => { run(seeds: string[]): Promise<unknown> }
  Configuration: new (options: object) => object
  log: { setLevel(level: number): void }
}

interface Page {
  enqueueLinks: (options: object) => Promise<unknown>
}

const LOG_ERRORS_ONLY = 1
/** More than it uses: below its limit it would hold back requests. */
const MEMORY_MB = 4096

const [peers = '', seed = '', lanes = '64', delaySeconds = '0'] = process.argv.slice(2)
const entry = createRequire(join(peers, 'package.json')).resolve('@crawlee/cheerio')
const { CheerioCrawler, Configuration, log } = (await import(pathToFileURL(entry).href)) as Crawlee

log.setLevel(LOG_ERRORS_ONLY)
const crawler = new CheerioCrawler(
  {
    minConcurrency: Number(lanes),
    maxConcurrency: Number(lanes),
    respectRobotsTxtFile: true,
    useSessionPool: false,
    persistCookiesPerSession: false,
    sameDomainDelaySecs: Number(delaySeconds),
    requestHandler: ({ enqueueLinks }: Page) => enqueueLinks({ strategy: 'all' }),
  },
  new Configuration({ persistStorage: false, availableMemoryRatio: 0.9, memoryMbytes: MEMORY_MB }),
)
await crawler.run([seed])
