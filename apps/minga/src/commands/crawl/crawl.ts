/** `minga crawl`: one command gathers a site; the same command again continues it. */
import {
  POLITENESS,
  SCOPES,
  systemClock,
  type CollectionRequest,
  type CollectionSpec,
  type CollectionStart,
  type CollectionStatus,
  type ExistingCollection,
} from '@minga/protocol'
import { Option, type Command } from 'commander'
import { requireAllowed, typedAddresses } from '../../addresses.ts'
import { followCollection } from '../../follow-collection.ts'
import { Interrupts } from '../../interrupts.ts'
import type { Run } from '../../run-program.ts'
import {
  addOwnStationOptions,
  append,
  dataOption,
  minDelayOption,
  politenessOption,
  warnAboutPrivateAddresses,
  wholeNumber,
  type OwnStationOptions,
} from '../../options.ts'
import { Progress, errorScreen, formatBytes, type Figures } from '../../progress.ts'
import {
  patiently,
  reachStation,
  throughStation,
  type ReachedStation,
} from '../../reach-station.ts'
import { crawlExitCode, crawlText, crawlTotals } from './report.ts'
import { readFilter } from './filter-file.ts'

interface CrawlOptions extends OwnStationOptions {
  scope: (typeof SCOPES)[number]
  include?: string[]
  exclude?: string[]
  maxPages?: number
  maxDepth?: number
  maxBytes?: number
  maxTime?: number
  maxPagesPerHost?: number
  maxBytesPerHost?: number
  maxTimePerHost?: number
  bandwidth?: number
  bandwidthPerHost?: number
  delay: number
  politeness: (typeof POLITENESS)[number]
  minDelay: number
  retries: number
  inFlightPerHost: number
  sitemaps: boolean
  embeds: boolean
  obeyNofollow?: boolean
  trapBudget: boolean
  filter?: string
  extract?: string
  json?: boolean
}

export function crawlCommand(program: Command, run: Run): void {
  const command = program
    .command('crawl')
    .argument('<url...>', 'where to start')
    .description('collect a site politely into a standard web archive')
  addScopeOptions(command)
  addLimitOptions(command)
  addPaceOptions(command)
  command
    .optionsGroup('Output:')
    .addOption(dataOption())
    .option('--extract <file>', 'rules that turn each page into a row of a table (docs/tables.md)')
    .option('--json', 'print the totals as one JSON object')
    .optionsGroup('Advanced:')
  addOwnStationOptions(command)
    .helpOption('-h, --help', 'display help for command')
    .addHelpText('after', CRAWL_EXAMPLES)
    .action(run((urls: string[], options: CrawlOptions) => crawl(urls, options)))
}

function addScopeOptions(command: Command): void {
  command
    .optionsGroup('Scope:')
    .addOption(
      new Option('--scope <kind>', 'how far to follow links').choices(SCOPES).default('host'),
    )
    .option('--include <regex>', 'only addresses that match (repeatable)', append)
    .option('--exclude <regex>', 'no addresses that match (repeatable)', append)
    .option('--max-depth <n>', 'links to follow away from the seeds', wholeNumber('--max-depth'))
    .option('--no-sitemaps', 'do not read sitemaps that robots.txt names')
    .option('--no-embeds', 'leave out images, styles and scripts')
    .option('--obey-nofollow', 'do not follow links of pages marked nofollow')
    .option('--no-trap-budget', 'follow endless calendars and the like to the end')
    .option('--filter <file>', 'what to collect of it: hosts, places, types, languages, words')
}

function addLimitOptions(command: Command): void {
  command
    .optionsGroup('Limits:')
    .option('--max-pages <n>', 'stop after this many pages', wholeNumber('--max-pages', 1))
    .option('--max-bytes <n>', 'stop after this many bytes', wholeNumber('--max-bytes', 1))
    .option('--max-time <s>', 'stop after this many seconds', wholeNumber('--max-time', 1))
    .option('--max-pages-per-host <n>', 'pages of one host', wholeNumber('--max-pages-per-host', 1))
    .option('--max-bytes-per-host <n>', 'bytes of one host', wholeNumber('--max-bytes-per-host', 1))
    .option('--max-time-per-host <s>', 'seconds on one host', wholeNumber('--max-time-per-host', 1))
}

function addPaceOptions(command: Command): void {
  command
    .optionsGroup('Pace:')
    .option('--delay <ms>', 'pause between requests to a host', wholeNumber('--delay'), 1_000)
    .addOption(politenessOption())
    .addOption(minDelayOption())
    .option('--retries <n>', 'further tries when one fails', wholeNumber('--retries'), 2)
    .option(
      '--in-flight-per-host <n>',
      'requests to one host at once, with --delay 0 (at most 16)',
      wholeNumber('--in-flight-per-host', 1),
      1,
    )
    .option(
      '--bandwidth-per-host <n>',
      'bytes per second of one host',
      wholeNumber('--bandwidth-per-host', 1),
    )
    .option('--bandwidth <n>', 'bytes per second on average', wholeNumber('--bandwidth', 1))
}

const CRAWL_EXAMPLES = `
Examples:
  minga crawl https://example.org/
  minga crawl https://example.org/docs/ --scope prefix --max-depth 3
  minga crawl https://shop.example/ --extract products.json; minga sql "SELECT * FROM products"
  minga crawl https://a.example/ https://b.example/ --scope domain --delay 2000 --json

Counts are totals of the collection; seconds and pagesPerSecond are of this run.
`

const POLL_MS = 200

async function crawl(typed: string[], options: CrawlOptions): Promise<number> {
  const urls = typedAddresses('crawl', typed)
  await requireAllowed(urls, options)
  warnAboutPrivateAddresses(options.allowPrivateAddresses)
  const startedMs = systemClock.monotonicMs()
  const filter = options.filter === undefined ? null : await readFilter(options.filter)
  const extract = options.extract === undefined ? {} : await extractIn(options.extract)
  const request = { ...requestOf(urls, options), filter, ...extract }
  return throughStation(
    () => reachStation(options),
    (station) => crawlThrough(station, { request, options, startedMs }),
  )
}

/** Loaded only when it is asked for: reading rules takes zod, and a crawl needs it for nothing else. */
async function extractIn(file: string): Promise<Pick<CollectionRequest, 'extract'>> {
  const { readExtract } = await import('./extract-file.ts')
  return readExtract(file)
}

interface Crawling {
  request: CollectionRequest
  options: CrawlOptions
  startedMs: number
}

async function crawlThrough(
  station: ReachedStation,
  { request, options, startedMs }: Crawling,
): Promise<number> {
  const interrupts = new Interrupts(station.kill)
  try {
    const existing = await patiently(station, () =>
      station.api.post<ExistingCollection>('/collections/existing', request),
    )
    process.stderr.write(describeExisting(existing))
    // The flags of this run hold for a crawl that is continued, too.
    const start: CollectionStart = { ...request, existing: 'change' }
    const collection = await patiently(station, () =>
      station.api.post<CollectionStatus>('/collections', start),
    )
    const ended = await follow(station, collection, interrupts)
    if (interrupts.signal.aborted)
      process.stderr.write('minga: stopping; requests in flight are finished…\n')
    await station.stop()
    const seconds = (systemClock.monotonicMs() - startedMs) / 1_000
    const facts = { pagesBefore: collection.pages, seconds, data: options.data }
    if (options.json) process.stdout.write(`${JSON.stringify(crawlTotals(ended, facts))}\n`)
    else process.stderr.write(crawlText(ended, facts))
    return crawlExitCode(ended, interrupts.signal.aborted)
  } finally {
    await station.stop()
    interrupts.end()
  }
}

function requestOf(seeds: string[], options: CrawlOptions): CollectionRequest {
  return {
    seeds,
    scope: options.scope,
    include: options.include ?? [],
    exclude: options.exclude ?? [],
    maxPages: options.maxPages ?? null,
    maxDepth: options.maxDepth ?? null,
    maxBytes: options.maxBytes ?? null,
    maxTimeS: options.maxTime ?? null,
    maxPagesPerHost: options.maxPagesPerHost ?? null,
    maxBytesPerHost: options.maxBytesPerHost ?? null,
    maxTimePerHostS: options.maxTimePerHost ?? null,
    bytesPerSecond: options.bandwidth ?? null,
    bytesPerSecondPerHost: options.bandwidthPerHost ?? null,
    delayMs: options.delay,
    politeness: options.politeness,
    delayMinMs: options.minDelay,
    inFlightPerHost: options.inFlightPerHost,
    retries: options.retries,
    sitemaps: options.sitemaps,
    embeds: options.embeds,
    obeyNofollow: options.obeyNofollow ?? false,
    trapBudget: options.trapBudget,
  }
}

/** A station ends a crawl that is over its time; one that cannot, because it hangs or its disk is full, is ended so
 * many milliseconds later. */
const OVERTIME_MS = 6_000
/** Timers of Node fire at once when they are longer. */
const TIMER_MAX_MS = 2 ** 31 - 1

/** Shows progress until the collection ends or the user interrupts. */
async function follow(
  station: ReachedStation,
  collection: CollectionStatus,
  interrupts: Interrupts,
): Promise<CollectionStatus> {
  const followed = new AbortController()
  const latestMs = (collection.spec.maxTimeS ?? Infinity) * 1_000 + OVERTIME_MS
  if (latestMs <= TIMER_MAX_MS) {
    void systemClock.sleep(latestMs, followed.signal).then(() => {
      if (!followed.signal.aborted) interrupts.begin()
    })
  }
  const { signal } = interrupts
  const progress = new Progress(errorScreen(), systemClock.monotonicMs())
  const onStatus = (status: CollectionStatus): void =>
    progress.show(figuresOf(status), systemClock.monotonicMs())
  try {
    return await followCollection(station, collection, { everyMs: POLL_MS, signal, onStatus })
  } finally {
    followed.abort()
    progress.end()
  }
}

function figuresOf({ found, queued, leased, bytes, errors }: CollectionStatus): Figures {
  return { done: found - queued, out: leased, toDo: Math.max(0, queued - leased), bytes, errors }
}

/** What each setting is called here; the others keep the name that the API gives them. */
const NAMES: Partial<Record<keyof CollectionSpec, string>> = {
  maxPages: 'limit',
  maxDepth: 'depth',
  maxBytes: 'limit of bytes',
  maxTimeS: 'limit of time',
  maxPagesPerHost: 'pages per host',
  maxBytesPerHost: 'bytes per host',
  maxTimePerHostS: 'time per host',
  bytesPerSecond: 'bandwidth',
  bytesPerSecondPerHost: 'bandwidth per host',
  delayMs: 'delay',
  delayMinMs: 'shortest delay',
  inFlightPerHost: 'in flight per host',
}

/** Empty for a new collection, and for one that is continued with the settings it has. */
export function describeExisting({ collection, changes }: ExistingCollection): string {
  const fields = Object.keys(changes.after)
  if (collection === null || fields.length === 0) return ''
  const said = fields.map((field) => {
    const name = NAMES[field as keyof CollectionSpec] ?? field
    return `${name} ${valueIn(field, changes.before[field])} → ${valueIn(field, changes.after[field])}`
  })
  return `minga: continues collection ${collection.id}: ${said.join(', ')}\n`
}

function valueIn(field: string, value: unknown): string {
  if (value === null || value === undefined) return 'none'
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(' ')
  if (typeof value !== 'number') return 'a file'
  if (field.endsWith('Ms')) return `${value} ms`
  if (field.endsWith('S')) return `${value} s`
  return /bytes/i.test(field) ? formatBytes(value) : String(value)
}
