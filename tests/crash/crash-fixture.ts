/** Real crawls by real processes, and the proofs that tests demand of what they leave behind. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after } from 'node:test'
import { promisify } from 'node:util'
import { endAllProcesses, judgeHits, startFakeWebProcess, startProcess } from '@minga/testkit'
import type {
  Child,
  FakeWebProcess,
  FakeWebSpec,
  Hit,
  HitJudge,
  PolitenessUnit,
} from '@minga/testkit'
import { WARCParser } from 'warcio'
import { openTables, type Tables } from './databases.ts'

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

export async function newWeb(spec: FakeWebSpec): Promise<FakeWebProcess> {
  const web = await startFakeWebProcess(spec)
  after(() => web.close())
  return web
}

export interface Crawl {
  web: FakeWebProcess
  data: string
  delayMs: number
  /** URL of the database that keeps the state; without it SQLite does, in the data folder. */
  postgres?: string
}

export function startCrawl(
  { web, data, delayMs, postgres }: Crawl,
  env: Record<string, string> = {},
): Promise<Child> {
  const args = ['crawl', ...web.seeds, '--scope', 'any', '--delay', String(delayMs), '--json']
  if (postgres !== undefined) args.push('--postgres', postgres)
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
  /** What robots.txt forbids. */
  isForbidden?: (hit: Hit) => boolean
  /** A host whose robots.txt asks for a longer pause than the collection's. */
  crawlDelay?: { host: string; delayMs: number }
}

/** Invariants 1, 2, 3, 6 and 7 of the design, judged from outside. */
export async function assertSound(crawl: Crawl, totals: Totals, expected: Expected): Promise<void> {
  assertPolite(crawl, expected)
  await assertEndedOnce(crawl, totals)
  await assertReadable(crawl, totals)
}

function assertPolite({ web, delayMs }: Crawl, expected: Expected): void {
  const { faults, isForbidden = () => false, crawlDelay } = expected
  const judge = judgeHits(web.hits())
  for (const per of ['host', 'address'] as const) assertClocksKept(judge, { per, delayMs })
  if (crawlDelay) {
    // Before robots.txt has been read, the requested pause is unknown.
    const pages = judge
      .hits()
      .filter(({ host, path: asked }) => host === crawlDelay.host && asked !== '/robots.txt')
    assertClocksKept(judgeHits(pages), { per: 'host', delayMs: crawlDelay.delayMs })
  }
  const forbidden = judge.hits().filter(isForbidden)
  assert.deepEqual(forbidden, [], 'what robots.txt forbids is never asked for')
  for (const { url, hits } of judge.refetched()) {
    assert.ok(hits.length <= 1 + faults, `${url} was fetched ${hits.length} times`)
  }
}

/**
 * Invariant 2. It allows one overlap: a lease that ended unseen moves its host's clock to that end
 * + delay, so a request it left behind may still be under way at a site when the next one comes,
 * if its response takes longer than the silence after which leases end. No answer of these webs
 * takes that long, and a request whose agent was killed ends with the agent's connections. So here
 * not a single overlap is allowed, nor a gap shorter than the delay.
 */
function assertClocksKept(
  judge: HitJudge,
  { per, delayMs }: { per: PolitenessUnit; delayMs: number },
): void {
  const early = judge.violations({ delayMs, per })
  assert.deepEqual(early.slice(0, 3), [], `${early.length} contacts before the ${per}'s clock`)
  assert.equal(judge.concurrencyMax(per), 1, `requests at a time per ${per}`)
}

async function assertEndedOnce(crawl: Crawl, totals: Totals): Promise<void> {
  const tables = await openTables(crawl)
  try {
    await assertUrlsEnded(crawl, tables)
    await assertCounted(tables, totals)
  } finally {
    await tables.close()
  }
}

async function assertUrlsEnded({ web }: Crawl, tables: Tables): Promise<void> {
  const urls = await tables.all<{ url: string; outcome: string | null }>(
    `SELECT url, outcome FROM urls WHERE kind <> 'robots'`,
  )
  const underWay = urls.filter(({ outcome }) => outcome === null)
  assert.deepEqual(underWay, [], 'every URL has ended')
  const captured = urls.filter(({ outcome }) => outcome === 'captured').map(({ url }) => url)
  assert.deepEqual(missing(web.expectedUrls(), captured), [], 'every page of the web was captured')
  const kept = await tables.all(
    `SELECT url, COUNT(*) AS n FROM captures WHERE hash <> 0 GROUP BY url HAVING COUNT(*) > 1`,
  )
  assert.deepEqual(kept, [], 'no URL was captured twice')
}

/** What the command said, what the collection counted along the way, and what a recount finds. */
async function assertCounted(tables: Tables, totals: Totals): Promise<void> {
  const [counted] = await tables.all<Totals>(
    `SELECT SUM(c.captures) AS captures, SUM(c.bytes) AS bytes,
      (SELECT COUNT(*) FROM urls WHERE outcome = 'captured' AND kind <> 'robots'
         AND status BETWEEN 200 AND 299) AS pages,
      (SELECT COUNT(*) FROM urls WHERE outcome = 'failed') AS failed,
      (SELECT COUNT(*) FROM urls WHERE outcome = 'denied') AS denied,
      (SELECT COUNT(*) FROM captures WHERE kind = 'revisit') AS duplicates
     FROM collections c`,
  )
  const { pages, bytes, captures, failed, denied, duplicates } = totals
  assert.deepEqual({ pages, bytes, captures, failed, denied, duplicates }, counted)
  const [rows] = await tables.all<{ captures: number; bytes: number }>(
    'SELECT COUNT(*) AS captures, SUM(payload_bytes) AS bytes FROM captures',
  )
  assert.deepEqual(rows, { captures, bytes })
}

function missing(wanted: readonly string[], found: readonly string[]): string[] {
  const there = new Set(found)
  return wanted.filter((url) => !there.has(url))
}

/** Our own verifier and warcio both read every record, and find as many captures as were counted. */
async function assertReadable({ data, postgres }: Crawl, totals: Totals): Promise<void> {
  const env = { ...process.env, ...(postgres === undefined ? {} : { MINGA_POSTGRES: postgres }) }
  await run(process.execPath, [MINGA, 'archive', 'verify', '--data', data], { env })
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
