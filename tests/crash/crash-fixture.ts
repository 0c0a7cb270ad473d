/** Real crawls by real processes, and the proofs that tests demand of what they leave behind. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after } from 'node:test'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { endAllProcesses, startFakeWeb, startProcess } from '@minga/testkit'
import type { Child, FakeWeb, FakeWebSpec, Violation } from '@minga/testkit'
import { WARCParser } from 'warcio'

const MINGA = path.resolve(import.meta.dirname, '../../apps/minga/bin/minga.mjs')
export const LONG = process.env['MINGA_LONG'] === '1'

export interface Totals {
  pages: number
  bytes: number
  captures: number
  failed: number
  denied: number
  duplicates: number
}

export function newFolder(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'minga-crash-'))
  after(async () => {
    await endAllProcesses()
    fs.rmSync(folder, { recursive: true, force: true })
  })
  return folder
}

export async function newWeb(spec: FakeWebSpec): Promise<FakeWeb> {
  const web = await startFakeWeb(spec)
  watchStalls()
  after(() => web.close())
  return web
}

/** Microseconds of the machine's monotonic clock between which this process did not run. */
const stalls: { from: number; to: number }[] = []
const STALL_MICROSECONDS = 1_500
let lastLook = 0

/**
 * The web lives in this process. When the machine is too busy to let it run, it notes the end of a
 * response late, and a gap looks shorter than it was for the visitor.
 */
function watchStalls(): void {
  if (lastLook > 0) return
  lastLook = microseconds()
  setInterval(() => {
    const now = microseconds()
    if (now - lastLook > STALL_MICROSECONDS) stalls.push({ from: lastLook, to: now })
    lastLook = now
  }, 1).unref()
}

function microseconds(): number {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1_000_000 + nanoseconds / 1_000
}

/** Was it too early even if the response ended when this process was last seen running? */
function isProven({ previous, next }: Violation, delayMs: number): boolean {
  const end = previous.end ?? Infinity
  const stall = stalls.findLast(({ from, to }) => from <= end && end <= to + STALL_MICROSECONDS)
  if (stall === undefined) return true
  const earliestEnd = Math.max(previous.t, stall.from)
  return (next.t - earliestEnd) / 1_000 < delayMs - TOLERANCE_MS
}

/** As the judge's own: timers are a little early or late. */
const TOLERANCE_MS = 2

export interface Crawl {
  web: FakeWeb
  data: string
  delayMs: number
}

export function startCrawl(
  { web, data, delayMs }: Crawl,
  env: Record<string, string> = {},
): Promise<Child> {
  const args = ['crawl', ...web.seeds, '--scope', 'any', '--delay', String(delayMs), '--json']
  return startMinga([...args, '--data', data, '--allow-private-addresses'], env)
}

export function startMinga(args: string[], env: Record<string, string> = {}): Promise<Child> {
  return startProcess(process.execPath, [MINGA, ...args], { env })
}

const run = promisify(execFile)

/** The last line of a crawl's output, which `--json` promises to be one object. */
export function totalsOf(child: Child): Totals {
  return JSON.parse(child.stdout().trim().split('\n').at(-1) ?? '') as Totals
}

export interface Expected {
  /** How often something was killed or paused: each may cost a request that was out another try. */
  faults: number
  forbidden?: RegExp
}

/** Invariants 1, 2, 3, 6 and 7 of the design, judged from outside. */
export async function assertSound(crawl: Crawl, totals: Totals, expected: Expected): Promise<void> {
  assertPolite(crawl, expected)
  assertEndedOnce(crawl, totals)
  await assertReadable(crawl, totals)
}

function assertPolite({ web, delayMs }: Crawl, { faults, forbidden }: Expected): void {
  for (const per of ['host', 'address'] as const) {
    const early = web.violations({ delayMs, per }).filter((one) => isProven(one, delayMs))
    assert.deepEqual(early.slice(0, 3), [], `${early.length} contacts before the ${per}'s clock`)
  }
  if (forbidden) {
    const hits = web.hits().filter((hit) => forbidden.test(hit.path))
    assert.deepEqual(hits, [], 'what robots.txt forbids is never asked for')
  }
  for (const { url, hits } of web.refetched()) {
    assert.ok(hits.length <= 1 + faults, `${url} was fetched ${hits.length} times`)
  }
}

function assertEndedOnce({ web, data }: Crawl, totals: Totals): void {
  const database = new DatabaseSync(path.join(data, 'minga.db'), { readOnly: true })
  const all = <R>(text: string): R[] => database.prepare(text).all() as R[]
  try {
    const urls = all<{ url: string; outcome: string | null; status: number | null }>(
      `SELECT url, outcome, status FROM urls WHERE kind <> 'robots'`,
    )
    assert.deepEqual(
      urls.filter(({ outcome }) => outcome === null),
      [],
      'every URL has ended',
    )
    const captured = urls.filter(({ outcome }) => outcome === 'captured').map(({ url }) => url)
    const wanted = web.expectedUrls()
    assert.deepEqual(missing(wanted, captured), [], 'every page of the web was captured')
    const kept = all<{ url: string; n: number }>(
      `SELECT url, COUNT(*) AS n FROM captures WHERE hash <> 0 GROUP BY url HAVING COUNT(*) > 1`,
    )
    assert.deepEqual(kept, [], 'no URL was captured twice')
    const [counted] = all<Totals>(
      `SELECT SUM(c.captures) AS captures, SUM(c.bytes) AS bytes,
        (SELECT COUNT(*) FROM urls WHERE outcome = 'captured' AND kind <> 'robots'
           AND status BETWEEN 200 AND 299) AS pages,
        (SELECT COUNT(*) FROM urls WHERE outcome = 'failed') AS failed,
        (SELECT COUNT(*) FROM urls WHERE outcome = 'denied') AS denied,
        (SELECT COUNT(*) FROM captures WHERE kind = 'revisit') AS duplicates
       FROM collections c`,
    )
    const { pages, bytes, captures, failed, denied, duplicates } = totals
    assert.deepEqual({ pages, bytes, captures, failed, denied, duplicates }, { ...counted })
    const [rows] = all<{ captures: number; bytes: number }>(
      'SELECT COUNT(*) AS captures, SUM(payload_bytes) AS bytes FROM captures',
    )
    assert.deepEqual({ ...rows }, { captures, bytes })
  } finally {
    database.close()
  }
}

function missing(wanted: readonly string[], found: readonly string[]): string[] {
  const there = new Set(found)
  return wanted.filter((url) => !there.has(url))
}

/** Our own verifier and warcio both read every record, and find as many captures as were counted. */
async function assertReadable({ data }: Crawl, totals: Totals): Promise<void> {
  await run(process.execPath, [MINGA, 'archive', 'verify', '--data', data])
  const folder = path.join(data, 'archive')
  const urls: string[] = []
  for (const name of fs.readdirSync(folder).filter((file) => file.endsWith('.warc.gz'))) {
    for await (const record of new WARCParser(fs.createReadStream(path.join(folder, name)))) {
      const { warcType, warcTargetURI } = record
      if (warcType === 'response' || warcType === 'revisit') urls.push(warcTargetURI ?? '')
      await record.readFully(false)
    }
  }
  assert.equal(urls.length, totals.captures, 'warcio reads as many captures as were counted')
  const pages = urls.filter((url) => !url.endsWith('/robots.txt'))
  assert.equal(new Set(pages).size, pages.length, 'no URL is in the archive twice')
  const index = fs.readFileSync(path.join(folder, 'index.cdxj'), 'utf8').trimEnd().split('\n')
  assert.equal(index.length, totals.captures, 'the index has a line for every capture')
}
