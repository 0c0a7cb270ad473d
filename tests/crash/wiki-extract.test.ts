// Goal: an extraction of which everything is killed −9 again and again ends with the same store as one that
// was not disturbed, and the wiki is asked at its pace all the while. Method: `minga wiki add --wait` as real
// processes; the command with all its children, its coordinator or its agent are killed while requests go
// on; judged by the XML export, the check at rest and the fake wiki's own log.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  judgeHits,
  seededRandom,
  startFakeWikiProcess,
  type Child,
  type FakeWikiProcess,
  type HitJudge,
  type WikiOperation,
} from '@minga/testkit'
import { LONG, newFolder, startMinga } from './crash-fixture.ts'

const KILLS = LONG ? 20 : 2
const SEED = Number(process.env['MINGA_SEED'] ?? 62)
const DELAY_MS = 120
const TITLES = ['Llama', 'Alpaca', 'Vicuna', 'Guanaco']
const REVISIONS = LONG ? 90 : 30
/** So few revisions an answer has that there are dozens of requests to be killed in. */
const LIMITS = { text: 3, list: 50 }
const PATIENCE_MS = 240_000

const VICTIMS = ['everything', 'coordinator', 'agent'] as const
interface Blow {
  victim: (typeof VICTIMS)[number]
  /** Microseconds of the clock of the wiki's log. */
  at: number
}

test('an extraction that is killed −9 again and again ends with the same store as an undisturbed one', async (t) => {
  t.diagnostic(`MINGA_SEED=${SEED}`)
  const wiki = await startFakeWikiProcess({ history: historyOf(TITLES), limits: LIMITS })
  after(() => wiki.close())
  const folder = newFolder()
  const [calm, disturbed] = [path.join(folder, 'calm'), path.join(folder, 'disturbed')]
  await ended(await startExtraction(wiki, calm))
  const before = wiki.hits().length

  const { last, struck } = await strike(wiki, disturbed)
  await ended(last)
  t.diagnostic(struck.map(({ victim }) => victim).join(' '))
  assert.equal(struck.length, KILLS)

  const judge = judgeHits(wiki.hits().slice(before))
  assert.deepEqual(judge.violations({ delayMs: DELAY_MS, per: 'host' }), [])
  assert.equal(judge.concurrencyMax('host'), 1, 'never two requests at once')
  assert.deepEqual(
    needless(judge, struck),
    [],
    'requested again although nothing was killed in between',
  )

  const name = new URL(wiki.url).host
  assert.equal(await verified(disturbed), await verified(calm))
  const exports = [await exportOf(calm, name), await exportOf(disturbed, name)]
  assert.equal(exports[0]!.match(/<revision>/g)?.length, TITLES.length * REVISIONS)
  assert.equal(exports[1], exports[0])
})

function historyOf(titles: readonly string[]): WikiOperation[] {
  return Array.from({ length: REVISIONS }).flatMap((_, i) =>
    titles.map((title): WikiOperation => {
      const text = `${title} ${i}\n${`It has ${i} words. `.repeat(1 + (i % 9))}`
      return { do: 'edit', title, text, comment: `edit ${i}` }
    }),
  )
}

function startExtraction(wiki: FakeWikiProcess, data: string): Promise<Child> {
  const what = ['--pages', TITLES.join('|'), '--delay', String(DELAY_MS)]
  const how = ['--data', data, '--allow-private-addresses', '--wait', '--json']
  return startMinga(['wiki', 'add', wiki.apiUrl, ...what, ...how])
}

async function ended(child: Child): Promise<void> {
  const { code } = await child.waitExit(PATIENCE_MS)
  assert.equal(code, 0, child.stderr())
}

/** Each blow falls when the wiki has been asked some more since the one before. */
async function strike(
  wiki: FakeWikiProcess,
  data: string,
): Promise<{ last: Child; struck: Blow[] }> {
  const random = seededRandom(SEED)
  const struck: Blow[] = []
  let child = await startExtraction(wiki, data)
  while (struck.length < KILLS) {
    const wanted = wiki.hits().length + 1 + random.integer(4)
    while (wiki.hits().length < wanted && child.exit() === undefined) await sleep(10)
    assert.equal(
      child.exit(),
      undefined,
      `it ended after ${struck.length} blows: ${child.stderr()}`,
    )
    await sleep(random.integer(DELAY_MS))
    const victim = random.pick(VICTIMS)
    const at = Number(process.hrtime.bigint() / 1_000n)
    if (victim === 'everything') {
      child.killTree()
      await killAll(data)
      child = await startExtraction(wiki, data)
    } else if (!kill(data, victim)) continue
    struck.push({ victim, at })
  }
  return { last: child, struck }
}

/**
 * A continuation is requested again only when a process was killed since: what was out, or fetched and not
 * yet sent. Two agents with the same work would ask without that.
 */
function needless(judge: HitJudge, struck: readonly Blow[]): string[] {
  const pages = judge.refetched().filter(({ url }) => !url.endsWith('/robots.txt'))
  return pages.flatMap(({ url, hits }) =>
    hits
      .slice(1)
      .filter((hit, i) => !struck.some(({ at }) => at >= hits[i]!.t && at <= hit.t))
      .map(() => url),
  )
}

interface Running {
  pid: number
  role: string
}

function running(data: string): Running[] {
  try {
    return JSON.parse(fs.readFileSync(path.join(data, 'processes.json'), 'utf8')) as Running[]
  } catch {
    return []
  }
}

/** False when it was just being started again. */
function kill(data: string, role: string): boolean {
  const victim = running(data).find((process_) => process_.role === role)
  if (victim === undefined) return false
  try {
    return process.kill(victim.pid, 'SIGKILL')
  } catch {
    return false
  }
}

async function killAll(data: string): Promise<void> {
  for (const { role } of running(data)) kill(data, role)
  // A dead process lets go of its port and its lock a moment later.
  await sleep(50)
}

async function output(args: string[]): Promise<string> {
  const child = await startMinga(args)
  const { code } = await child.waitExit(PATIENCE_MS)
  assert.equal(code, 0, child.stderr())
  return child.stdout()
}

const verified = (data: string): Promise<string> => output(['wiki', 'verify', '--data', data])

async function exportOf(data: string, wiki: string): Promise<string> {
  const file = `${data}.xml`
  await output(['wiki', 'export', wiki, '--data', data, '--out', file])
  return fs.readFileSync(file, 'utf8').replace(/<!-- .* -->/, '')
}
