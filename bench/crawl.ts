/**
 * Minga and its peers on the same fake web, judged by that web's own log.
 *   npm run bench:crawl [-- --pages 20000 --hosts 200 --runs 3 --only minga,bare --skip-polite --write]
 * Runs are interleaved (each round runs everybody once) so that a busy minute of the machine
 * touches all alike; figures are medians over the rounds.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startBenchWeb, type BenchWeb } from './bench-web.ts'
import { judgeCrawl, type Judgement } from './judge-crawl.ts'
import { measure, type Measured } from './measured-process.ts'
import { PEERS, type Peer } from './peers.ts'
import { figure, machineFacts, markdownTable, median, writePart } from './report.ts'

type Run = Measured & Judgement

const BYTES_PER_PAGE = 10_000
const RUN_TIMEOUT_MS = 3_600_000
const POLITE = { hosts: 40, pagesPerHost: 25, delayMs: 100 }
const MB = 1_000_000

async function crawlOnce(web: BenchWeb, peer: Peer, delayMs: number): Promise<Run | null> {
  const folder = mkdtempSync(join(tmpdir(), 'minga-bench-'))
  try {
    const command = peer.command({ seed: web.seed, delayMs, folder })
    if (command === null) return null
    const { result, hits } = await web.watch(() =>
      measure({ ...command, timeoutMs: RUN_TIMEOUT_MS }),
    )
    return { ...result, ...judgeCrawl(hits, delayMs) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

type Results = Map<Peer, Run[]>

async function rounds(
  web: BenchWeb,
  peers: readonly Peer[],
  { runs, delayMs }: { runs: number; delayMs: number },
): Promise<Results> {
  const results: Results = new Map()
  for (let round = 1; round <= runs; round++) {
    for (const peer of peers) {
      const run = await attempt(peer, () => crawlOnce(web, peer, delayMs))
      if (run === null) continue
      results.set(peer, [...(results.get(peer) ?? []), run])
      const rate = figure(run.pages / run.crawlSeconds)
      console.error(`round ${round} ${peer.name}: ${run.pages} pages, ${rate} pages/s`)
    }
  }
  return results
}

/** One peer's failure must not cost the others' figures. */
async function attempt(peer: Peer, crawl: () => Promise<Run | null>): Promise<Run | null> {
  try {
    return await crawl()
  } catch (error) {
    console.error(`${peer.name} failed: ${error instanceof Error ? error.message : String(error)}`)
    return null
  }
}

const middle = (runs: readonly Run[], of: (run: Run) => number): number => median(runs.map(of))
const pagesPerSecond = (run: Run): number => run.pages / run.crawlSeconds
const cpuMsPerPage = (run: Run): number => (1000 * run.cpuSeconds) / run.pages

function speedTable(results: Results): string {
  const ours = [...results].find(([peer]) => peer.name === 'minga')?.[1]
  const ratio = (runs: Run[], of: (run: Run) => number): string =>
    ours === undefined ? '–' : `${figure(middle(ours, of) / middle(runs, of))}×`
  return markdownTable(
    [...results].map(([peer, runs]) => ({
      crawler: peer.title,
      'pages/s': figure(middle(runs, pagesPerSecond)),
      'Minga is': ratio(runs, pagesPerSecond),
      'command s': figure(middle(runs, (run) => run.seconds)),
      'CPU ms/page': figure(middle(runs, cpuMsPerPage)),
      'peak MB': figure(middle(runs, (run) => run.peakRssBytes) / MB),
      pages: figure(middle(runs, (run) => run.pages)),
      'fetched twice': figure(middle(runs, (run) => run.refetched)),
    })),
  )
}

/** The worst run, not the median: politeness is a promise. */
const worst = (runs: readonly Run[], of: (run: Run) => number): string =>
  figure(Math.max(...runs.map(of)))

function politenessTable(results: Results): string {
  return markdownTable(
    [...results].map(([peer, runs]) => ({
      crawler: peer.title,
      violations: worst(runs, (run) => run.anyRequest.violations),
      'under half the delay': worst(runs, (run) => run.anyRequest.gross),
      'between pages': worst(runs, (run) => run.betweenPages.violations),
      'between pages, under half': worst(runs, (run) => run.betweenPages.gross),
      pages: figure(middle(runs, (run) => run.pages)),
      'pages/s': figure(middle(runs, pagesPerSecond)),
      'fetched twice': worst(runs, (run) => run.refetched),
    })),
  )
}

async function speedPart(peers: readonly Peer[], options: Options): Promise<string> {
  const { hosts, pages, runs } = options
  const pagesPerHost = Math.ceil(pages / hosts)
  const web = await startBenchWeb({ hosts, pagesPerHost, bytesPerPage: BYTES_PER_PAGE })
  try {
    // Uncounted: pages are made when first asked for and kept, which the first crawl would pay.
    await crawlOnce(
      web,
      PEERS.find(({ name }) => name === 'bare')!,
      0,
    )
    const results = await rounds(web, peers, { runs, delayMs: 0 })
    const size = `${figure(pagesPerHost * hosts)} pages of about 10 KB on ${hosts} hosts`
    return `${size}, no delay, medians of ${runs}:\n\n${speedTable(results)}`
  } finally {
    await web.stop()
  }
}

async function politePart(peers: readonly Peer[], runs: number): Promise<string> {
  const { hosts, pagesPerHost, delayMs } = POLITE
  const web = await startBenchWeb({ hosts, pagesPerHost, bytesPerPage: BYTES_PER_PAGE })
  try {
    const results = await rounds(web, peers, { runs, delayMs })
    const size = `${figure(pagesPerHost * hosts)} pages on ${hosts} hosts`
    return `${size}, each asked for a delay of ${delayMs} ms, worst of ${runs}:\n\n${politenessTable(results)}`
  } finally {
    await web.stop()
  }
}

interface Options {
  pages: number
  hosts: number
  runs: number
  only: string[] | null
  skipPolite: boolean
  write: boolean
}

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      pages: { type: 'string', default: '20000' },
      hosts: { type: 'string', default: '200' },
      runs: { type: 'string', default: '3' },
      only: { type: 'string' },
      'skip-polite': { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
    },
  })
  return {
    pages: Number(values.pages),
    hosts: Number(values.hosts),
    runs: Number(values.runs),
    only: values.only?.split(',') ?? null,
    skipPolite: values['skip-polite'],
    write: values.write,
  }
}

const options = readOptions()
const facts = machineFacts(new Date())
const peers = PEERS.filter(({ name }) => options.only?.includes(name) ?? true).filter((peer) => {
  const obstacle = peer.prepare()
  if (obstacle !== null) console.error(`${peer.name} is left out: ${obstacle}`)
  return obstacle === null
})
const parts = [facts, await speedPart(peers, options)]
if (!options.skipPolite) parts.push(await politePart(peers, options.runs))
const text = parts.join('\n\n')
console.log(text)
if (options.write) writePart('crawl', text)
