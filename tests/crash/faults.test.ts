// Goal: what can go wrong around a station is said in one sentence with its own exit code, and the
// next start goes on. Method: real commands against a full disk, a taken port, a folder in use,
// signals and a clock that was set back.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { endAllProcesses, readProcesses } from '@minga/testkit'
import {
  assertSound,
  newFolder,
  newWeb,
  startCrawl,
  startMinga,
  totalsOf,
  type Crawl,
} from './crash-fixture.ts'

const PATIENCE_MS = 60_000
/** Five seconds, and one for a machine that is busy with other tests. */
const STOP_MS = 6_000

async function newCrawl(
  more: { hosts?: number; pagesPerHost?: number; delayMs?: number; bytesPerPage?: number } = {},
) {
  const { hosts = 4, pagesPerHost = 20, delayMs = 20, bytesPerPage = 400 } = more
  const web = await newWeb({ hosts, pagesPerHost, bytesPerPage, firstAddress: '127.0.72.1' })
  return { web, data: newFolder(), delayMs } satisfies Crawl
}

async function hits(crawl: Crawl, count: number): Promise<void> {
  for (let i = 0; i < 1_000 && crawl.web.hits().length < count; i++) await sleep(20)
  assert.ok(crawl.web.hits().length >= count, 'the crawl is under way')
}

/** The command that was just started is at work. */
function moreHits(crawl: Crawl): Promise<void> {
  return hits(crawl, crawl.web.hits().length + 6)
}

test('an interrupt and a signal to the whole group stop gracefully, a second interrupt at once, and the same command goes on', async () => {
  // Each of the three falls long before the end, on a machine that is busy with other tests too.
  const crawl = await newCrawl({ hosts: 2, pagesPerHost: 60, delayMs: 100 })
  const child = await startCrawl(crawl)
  await moreHits(crawl)
  child.signal('SIGINT')
  assert.deepEqual(await child.waitExit(PATIENCE_MS), { code: 11, signal: null }, child.stderr())

  const grouped = await startCrawl(crawl)
  await moreHits(crawl)
  // As timeout and systemd do: to the group, and to its leader once more. It is one wish.
  process.kill(-grouped.pid, 'SIGTERM')
  await sleep(20)
  grouped.signal('SIGTERM')
  const { code, signal } = await grouped.waitExit(PATIENCE_MS)
  assert.deepEqual({ code, signal }, { code: 11, signal: null }, grouped.stderr())
  assert.deepEqual(readProcesses(crawl.data), [])

  const forced = await startCrawl(crawl)
  await moreHits(crawl)
  const processes = readProcesses(crawl.data)
  // A coordinator that stands still would hold up a graceful stop for seconds.
  process.kill(processes.find(({ role }) => role === 'coordinator')!.pid, 'SIGSTOP')
  forced.signal('SIGINT')
  await sleep(300)
  forced.signal('SIGINT')
  assert.deepEqual(await forced.waitExit(3_000), { code: 13, signal: null })

  assert.ok(crawl.web.hits().length < crawl.web.expectedUrls().length)
  const again = await startCrawl(crawl)
  assert.equal((await again.waitExit(PATIENCE_MS)).code, 0, again.stderr())
  await assertSound(crawl, totalsOf(again), { faults: 1 })
})

test('a second command on a folder in use goes through the station that serves it, or says that it is in use', async () => {
  // At this pace the first is still at work when the others have started, on a slow machine too.
  const crawl = await newCrawl({ hosts: 2, pagesPerHost: 60, delayMs: 200 })
  const first = await startCrawl(crawl)
  await hits(crawl, 6)
  const [file, away] = ['station.json', 'away.json'].map((name) => path.join(crawl.data, name))
  // Without it no command finds the station that serves the folder.
  fs.renameSync(file!, away!)
  const refused = await startCrawl(crawl)
  assert.equal((await refused.waitExit(PATIENCE_MS)).code, 4)
  assert.match(refused.stderr(), /Another process is using the data folder .*MINGA_STORE_LOCKED/)
  assert.doesNotMatch(refused.stderr(), /\n\s+at /, 'no stack trace')
  fs.renameSync(away!, file!)
  const second = await startCrawl(crawl)
  assert.equal((await first.waitExit(PATIENCE_MS)).code, 0, first.stderr())
  assert.equal((await second.waitExit(PATIENCE_MS)).code, 0, second.stderr())
  assert.equal(totalsOf(second).pages, totalsOf(first).pages)
  await assertSound(crawl, totalsOf(first), { faults: 0 })
})

test('a taken port is said in one sentence with code 4', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  after(() => server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  const child = await startMinga(['up', '--port', String(port), '--data', newFolder()])
  assert.equal((await child.waitExit(PATIENCE_MS)).code, 4)
  const complaint = child
    .stderr()
    .split('\n')
    .filter((line) => line.includes('MINGA_PORT_TAKEN'))
  assert.equal(complaint.length, 1)
  assert.match(complaint[0]!, new RegExp(`127.0.0.1:${port} is in use`))
  assert.doesNotMatch(child.stderr(), /\n\s+at /)
})

test('a wall clock that was set back while the station was down violates no clock', async () => {
  const crawl = await newCrawl({ hosts: 2, pagesPerHost: 40, delayMs: 40 })
  const child = await startCrawl(crawl)
  await hits(crawl, 20)
  child.killTree()
  await child.waitExit(5_000)
  // As if everything so far had happened under a clock that was an hour ahead of today's.
  // On a busy machine the station's last child may need a moment to be gone.
  const database = new DatabaseSync(path.join(crawl.data, 'minga.db'), { timeout: 10_000 })
  const hourMs = 3_600_000
  database.exec(
    `UPDATE station_facts SET value = CAST(value AS INTEGER) + ${hourMs} WHERE name = 'latestSeen'`,
  )
  for (const table of ['hosts', 'address_groups']) {
    database.exec(
      `UPDATE ${table} SET next_allowed_at = next_allowed_at + ${hourMs} WHERE next_allowed_at > 0`,
    )
  }
  database.exec(`UPDATE collection_hosts SET turn_at = turn_at + ${hourMs} WHERE turn_at > 0`)
  database.close()
  const again = await startCrawl(crawl)
  assert.equal((await again.waitExit(PATIENCE_MS)).code, 0, again.stderr())
  await assertSound(crawl, totalsOf(again), { faults: 1 })
})

test('a full disk is said in words and keeps no signal from ending the crawl, and when there is room again the crawl goes on', async (t) => {
  const data = path.join(newFolder(), 'small')
  fs.mkdirSync(data)
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'minga-crash', data])
  if (mounted.status !== 0) return t.skip('a small file system cannot be mounted here')
  try {
    const behaviour = { hosts: 4, pagesPerHost: 120, bytesPerPage: 40_000 }
    const web = await newWeb({ ...behaviour, firstAddress: '127.0.73.1' })
    const crawl = { web, data, delayMs: 5 }
    const child = await startCrawl(crawl)
    await child.waitOutput(/no room left.*MINGA_DISK_FULL/, PATIENCE_MS)
    await sleep(1_500)
    child.signal('SIGTERM')
    const { code } = await child.waitExit(STOP_MS)
    // On a busy machine the signal may find a crawl that has just given up by itself.
    assert.ok(code === 11 || code === 3, `${code}: ${child.stderr()}`)
    assert.doesNotMatch(child.stderr(), /\n\s+at /, 'no stack trace')
    const full = await startCrawl(crawl)
    await full.waitOutput(/no room left.*MINGA_DISK_FULL/, PATIENCE_MS)
    assert.equal(spawnSync('mount', ['-o', 'remount,size=200m', data]).status, 0)
    // It waited and goes on, or ended with the code for it.
    const isOver = (await full.waitExit(PATIENCE_MS)).code === 3
    const last = isOver ? await startCrawl(crawl) : full
    assert.equal((await last.waitExit(PATIENCE_MS)).code, 0, last.stderr())
    // How often a coordinator gave up on the full disk is its own matter.
    await assertSound(crawl, totalsOf(last), { faults: 10 })
  } finally {
    await endAllProcesses()
    spawnSync('umount', ['-l', data])
  }
})
