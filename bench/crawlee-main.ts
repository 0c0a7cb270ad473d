/**
 * Crawlee's CheerioCrawler, tuned for speed: memory storage that is never written, no session
 * pool, all lanes open from the start.
 *   node crawlee-main.ts PEERS_FOLDER SEED LANES DELAY_SECONDS
 */
import dns from 'node:dns'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { addressOfName, hostHeaderOf, namedUrl } from './bench-names.ts'

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
  request: { url: string }
  enqueueLinks: (options: object) => Promise<unknown>
}

const LOG_ERRORS_ONLY = 1
/** More than it uses: below its limit it would hold back requests. */
const MEMORY_MB = 4096

const [peers = '', seed = '', lanes = '64', delaySeconds = '0'] = process.argv.slice(2)
const entry = createRequire(join(peers, 'package.json')).resolve('@crawlee/cheerio')
const { CheerioCrawler, Configuration, log } = (await import(pathToFileURL(entry).href)) as Crawlee

type Found = (error: Error | null, found?: string | object[], family?: number) => void

/** Through Node's own door, since Crawlee asks for robots.txt without the crawler's options. */
function resolveNames(): void {
  const lookup = (name: string, options: { all?: boolean }, found: Found): void => {
    const address = addressOfName(name)
    if (address === undefined) found(new Error(`${name} is no name of the fake web.`))
    else if (options.all === true) found(null, [{ address, family: 4 }])
    else found(null, address, 4)
  }
  Object.assign(dns, { lookup })
}

/**
 * `sameDomainDelaySecs` counts per registrable domain and does nothing for hosts that have none,
 * as bare addresses. So with a delay each address is called by a name: links are renamed as they
 * are queued, and the Host header is what the web expects. (For robots.txt it cannot be set; the
 * web does not know the name and answers 404, as it does by address.)
 */
function politeOptions(delaySecs: number): object {
  const rename = (request: Page['request']): object => ({ ...request, url: namedUrl(request.url) })
  return {
    sameDomainDelaySecs: delaySecs,
    preNavigationHooks: [
      ({ request }: Page, options: { headers?: object }) => {
        options.headers = { ...options.headers, host: hostHeaderOf(request.url) }
      },
    ],
    requestHandler: ({ enqueueLinks }: Page) =>
      enqueueLinks({ strategy: 'all', transformRequestFunction: rename }),
  }
}

log.setLevel(LOG_ERRORS_ONLY)
const polite = Number(delaySeconds) > 0
if (polite) resolveNames()
const crawler = new CheerioCrawler(
  {
    minConcurrency: Number(lanes),
    maxConcurrency: Number(lanes),
    respectRobotsTxtFile: true,
    useSessionPool: false,
    persistCookiesPerSession: false,
    requestHandler: ({ enqueueLinks }: Page) => enqueueLinks({ strategy: 'all' }),
    ...(polite ? politeOptions(Number(delaySeconds)) : {}),
  },
  new Configuration({ persistStorage: false, availableMemoryRatio: 0.9, memoryMbytes: MEMORY_MB }),
)
await crawler.run([polite ? namedUrl(seed) : seed])
