// Goal: a batch ends exactly once, paid once, whichever process dies. Method: one coordinator and three agents
// as processes, one agent killed -9 and one stopped midway, the coordinator killed too; judged by the
// results file, the web's own log and the tables.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { readProcesses, type Child, type FakeWebProcess } from '@minga/testkit'
import { setTimeout as sleep } from 'node:timers/promises'
import { LONG, newFolder, newWeb, startMinga } from './crash-fixture.ts'
import { openTables } from './databases.ts'

const HOSTS = LONG ? 500 : 40
const PER_HOST = LONG ? 20 : 10
const TOTAL = HOSTS * PER_HOST
const DELAY_MS = 50
const PATIENCE_MS = LONG ? 600_000 : 120_000
const PRICE_MICROS = 1_000

interface Line {
  url: string
  outcome: string
  verified: boolean
  device: string
}

interface Station {
  url: string
  joinToken: string
  apiKey: string
}

test('Component independence: a batch survives the death of agents and coordinator, exactly once', async () => {
  const web = await newWeb({ hosts: HOSTS, pagesPerHost: PER_HOST, firstAddress: '127.0.80.1' })
  const folder = newFolder()
  const data = path.join(folder, 'station')
  const up = await startUp(data)
  const station = await readStation(data)
  const agents = await Promise.all([1, 2, 3].map((n) => join(station, path.join(folder, `a${n}`))))
  const urls = listOf(web)
  const list = path.join(folder, 'urls.txt')
  fs.writeFileSync(list, `${urls.join('\n')}\n`)
  const out = path.join(folder, 'results.jsonl')
  const client = await startMinga([
    'request',
    '--file',
    list,
    '--out',
    out,
    '--station',
    station.url,
    '--key',
    station.apiKey,
  ])
  await reached(web, 0.15)
  agents[0]!.kill9()
  await reached(web, 0.3)
  // The command and its agent, as Ctrl-Z does.
  process.kill(-agents[1]!.pid, 'SIGSTOP')
  await reached(web, 0.5)
  killCoordinator(data)
  const exit = await client.waitExit(PATIENCE_MS)
  assert.deepEqual(exit, { code: 0, signal: null }, client.stderr())
  // The sleeper wakes with its hands full: whatever it still sends is stale.
  process.kill(-agents[1]!.pid, 'SIGCONT')
  await sleep(1_500)
  // The last batch is closed by a tick; then no other process may hold the tables.
  process.kill(up.pid, 'SIGTERM')
  assert.equal((await up.waitExit(60_000)).code, 0)

  assertResults(urls, out)
  assertPolite(web)
  await assertBooks(data)
})

async function startUp(data: string): Promise<Child> {
  const args = ['up', '--data', data, '--port', '0', '--no-agent', '--delay', String(DELAY_MS)]
  const up = await startMinga([...args, '--allow-private-addresses'])
  await up.waitOutput(/Minga is up/, 30_000)
  return up
}

async function readStation(data: string): Promise<Station> {
  return JSON.parse(fs.readFileSync(path.join(data, 'station.json'), 'utf8')) as Station
}

async function join({ url, joinToken }: Station, data: string): Promise<Child> {
  const args = ['agent', 'join', url, '--token', joinToken, '--data', data]
  return startMinga([...args, '--allow-private-addresses'])
}

function killCoordinator(data: string): void {
  const { pid } = readProcesses(data).find(({ role }) => role === 'coordinator')!
  process.kill(pid, 'SIGKILL')
}

/** Host by host in turn, so that every host is at work all the time. */
function listOf(web: FakeWebProcess): string[] {
  const urls: string[] = []
  for (let page = 0; page < PER_HOST; page++) {
    for (let host = 0; host < HOSTS; host++) urls.push(`${web.origin(host)}/p/${page}`)
  }
  return urls
}

async function reached(web: FakeWebProcess, share: number): Promise<void> {
  for (let looks = 0; looks < 1_200; looks++) {
    const pages = web.hits().filter(({ path: asked }) => asked.startsWith('/p/'))
    if (pages.length >= share * TOTAL) return
    await sleep(100)
  }
  assert.fail(`the batch did not reach ${share * 100} %`)
}

function assertResults(urls: string[], out: string): void {
  const text = fs.readFileSync(out, 'utf8').trimEnd().split('\n')
  const lines = text.map((line) => JSON.parse(line) as Line)
  assert.equal(lines.length, TOTAL)
  assert.deepEqual(lines.map(({ url }) => url).toSorted(), urls.toSorted())
  assert.ok(lines.every(({ outcome, verified }) => outcome === 'captured' && verified))
  assert.ok(new Set(lines.map(({ device }) => device)).size >= 2, 'several devices worked')
}

/** Three faults: what was out with each of the dead may have been fetched once more. */
function assertPolite(web: FakeWebProcess): void {
  for (const per of ['host', 'address'] as const) {
    const early = web.violations({ delayMs: DELAY_MS, per })
    assert.deepEqual(early.slice(0, 3), [], `${early.length} contacts before the ${per}'s clock`)
    assert.equal(web.concurrencyMax(per), 1)
  }
  for (const { url, hits } of web.refetched()) assert.ok(hits.length <= 4, url)
}

/** Every captured request was paid once, the books sum to zero, and nothing is left reserved. */
async function assertBooks(data: string): Promise<void> {
  const tables = await openTables({ data })
  try {
    const one = async (text: string): Promise<number> => {
      const [row] = await tables.all<{ n: number | null }>(text)
      return row?.n ?? 0
    }
    const sumOf = (account: string): Promise<number> =>
      one(`SELECT SUM(amount_micros) AS n FROM ledger_entries WHERE account LIKE '${account}'`)
    assert.equal(await sumOf('%'), 0, 'the ledger sums to zero')
    assert.equal(await sumOf('reserve:%'), 0, 'nothing stays reserved')
    assert.equal(await sumOf('client:%'), -TOTAL * PRICE_MICROS)
    assert.equal(await sumOf('platform'), TOTAL * PRICE_MICROS * 0.3)
    assert.equal(await sumOf('volunteer:%'), TOTAL * PRICE_MICROS * 0.7)
    assert.equal(await one(`SELECT COUNT(*) AS n FROM requests WHERE outcome = 'captured'`), TOTAL)
    const twice = `SELECT COUNT(*) AS n FROM (SELECT url FROM captures WHERE hash <> 0
      GROUP BY url HAVING COUNT(*) > 1) AS doubles`
    assert.equal(await one(twice), 0, 'no page was captured twice')
  } finally {
    await tables.close()
  }
}
