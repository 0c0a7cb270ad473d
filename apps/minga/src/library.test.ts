// Goal: programs collect and run stations in a few lines, hear of every trouble, and are left with no process.
// Method: real processes and a fake web; what runs is read from the data folder.
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { readProcesses, startFakeWeb, type FakeWeb } from '@minga/testkit'
import { crawl, NodeTooOld, openStation, type CrawlCounts } from './library.ts'

const folder = mkdtempSync(join(tmpdir(), 'minga-library-'))
const data = join(folder, 'data')
let web: FakeWeb

before(async () => {
  web = await startFakeWeb({ hosts: 2, pagesPerHost: 6, linksPerPage: 5 })
})
after(async () => {
  await web?.close()
  rmSync(folder, { recursive: true, force: true })
})

const here = { data, allowPrivateAddresses: true }

const pidsNow = (): number[] => readProcesses(data).map(({ pid }) => pid)

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test('a crawl that a signal stops says so and leaves an archive and no process', async () => {
  const stop = new AbortController()
  let pids: number[] = []
  const onProgress = ({ left }: CrawlCounts): void => {
    if (left === 0) return
    pids = pidsNow()
    stop.abort()
  }
  const options = { ...here, signal: stop.signal, onProgress }
  const { outcome, left, archive } = await crawl(`${web.origin(0)}/p/0`, options)
  assert.equal(outcome, 'stopped')
  assert.ok(left > 0)
  assert.equal(archive, join(data, 'archive'))
  assert.ok(existsSync(archive))
  assert.ok(pids.length > 0)
  assert.deepEqual(pids.filter(isAlive), [])
  await assert.rejects(crawl('http://a.test/', options), { name: 'AbortError' })
})

test('a station answers calls, serves crawls of its folder and is gone when it is closed', async () => {
  const station = await openStation({ ...here, workers: 0 })
  let pids: number[] = []
  try {
    const found: unknown = await station.call('GET', '/collections')
    pids = pidsNow()
    assert.ok(Array.isArray(found) && found.length === 1)
    const missing = station.call('GET', '/collections/999')
    await assert.rejects(missing, { code: 'MINGA_NO_SUCH_COLLECTION' })
    await assert.rejects(openStation(here), { code: 'MINGA_STORE_LOCKED' })
    await crawlHere()
  } finally {
    await station.close()
  }
  assert.ok(pids.length > 0)
  assert.deepEqual(pids.filter(isAlive), [])
})

async function crawlHere(): Promise<void> {
  const seed = `${web.origin(1)}/p/1`
  const { outcome, pages } = await crawl([seed], { ...here, delayMs: 0, maxPages: 3 })
  assert.deepEqual([outcome, pages], ['at-limit', 3])
  await assert.rejects(crawl(seed, { ...here, include: ['('] }), { code: /^MINGA_/ })
  const trouble = new Error('no more')
  const onProgress = (): never => {
    throw trouble
  }
  await assert.rejects(crawl(`${web.origin(1)}/p/2`, { ...here, onProgress }), trouble)
}

test('an older Node is refused by one error, before anything is read', async (t) => {
  const { versions } = process
  t.after(() => Object.defineProperty(process, 'versions', { value: versions }))
  Object.defineProperty(process, 'versions', { value: { ...versions, node: '22.20.0' } })
  await assert.rejects(crawl('http://a.test/'), NodeTooOld)
  await assert.rejects(openStation(), { code: 'MINGA_NODE_TOO_OLD', message: /24\.12.*22\.20\.0/ })
})
