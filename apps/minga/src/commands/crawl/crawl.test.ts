// Goal: the many options of a crawl are found by what they are about, and no station can keep a crawl from ending.
// Method: the help, as text; the command line as a process, with a station that accepts a crawl and never answers again.
import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { Command } from 'commander'
import { endAllProcesses, startProcess, type Child } from '@minga/testkit'
import { collectionSpec, type CollectionStatus, type ExistingCollection } from '@minga/protocol'
import { MINGA } from '../../../test/commands/minga-fixture.ts'
import { crawlCommand, describeExisting } from './crawl.ts'

test('the options of a crawl are grouped, and none is outside a group', () => {
  const program = new Command('minga')
  crawlCommand(program, () => async () => {})
  const help = program.commands[0]!.helpInformation()
  const headings = [...help.matchAll(/^(\w+):$/gm)].map(([, name]) => name)
  assert.deepEqual(headings, ['Arguments', 'Scope', 'Limits', 'Pace', 'Output', 'Advanced'])
})

const folder = mkdtempSync(join(tmpdir(), 'minga-crawl-'))
after(async () => {
  await endAllProcesses()
  rmSync(folder, { recursive: true })
})

const FEW_SECONDS_MS = 12_000

test('a station that hangs keeps a crawl neither from a signal nor from the end of its time', async () => {
  const zeros = { pages: 0, captures: 0, bytes: 0, failed: 0, denied: 0, duplicates: 0 }
  const asked = new EventEmitter()
  const station = createServer((request, response) => {
    const answer = (value: unknown): void => void response.end(JSON.stringify(value))
    if (request.url === '/api/collections/existing')
      return answer({ collection: null, changes: { before: {}, after: {} } })
    if (request.url !== '/api/collections') return void asked.emit('status')
    const spec = { seeds: [], maxTimeS: 1 }
    answer({ id: 1, state: 'running', spec, errors: {}, outcome: null, problem: null, ...zeros })
  })
  after(() => station.close().closeAllConnections())
  await new Promise<void>((resolve) => station.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(station.address() as AddressInfo).port}`
  const file = { url, pid: process.pid, apiKey: 'k', joinToken: 'j', workerToken: 'w' }
  writeFileSync(join(folder, 'station.json'), JSON.stringify(file))
  const crawl = ['crawl', 'http://127.0.0.1:9/', '--allow-private-addresses', '--max-time', '1']
  const start = async (): Promise<Child> => {
    const status = once(asked, 'status', { signal: AbortSignal.timeout(60_000) })
    const child = await startProcess(process.execPath, [
      MINGA,
      ...crawl,
      '--json',
      '--data',
      folder,
    ])
    await status
    return child
  }
  const signalled = await start()
  const timed = await start()
  signalled.signal('SIGTERM')
  assert.equal((await signalled.waitExit(5_000)).code, 11, signalled.stderr())
  assert.equal(timed.exit(), undefined, 'it still has time')
  assert.equal((await timed.waitExit(FEW_SECONDS_MS)).code, 11, timed.stderr())
  assert.equal((JSON.parse(timed.stdout()) as { pages: number }).pages, 0)
})

// Goal: running a crawl again never changes a collection silently. Method: the station's answers, written out.

const status: CollectionStatus = {
  id: 2,
  owner: null,
  state: 'finished',
  outcome: 'complete',
  problem: null,
  reason: 'max-pages',
  createdAt: 0,
  endedAt: 1,
  spec: collectionSpec.parse({ seeds: ['http://a.test/'] }),
  found: 12,
  queued: 0,
  leased: 0,
  pages: 12,
  captures: 12,
  bytes: 1,
  failed: 0,
  denied: 0,
  cancelled: 0,
  duplicates: 0,
  filtered: 0,
  linksDropped: 0,
  errors: {},
}

test('a crawl that is run again says which settings of its collection it changes', () => {
  const changes: ExistingCollection['changes'] = {
    before: { maxPages: 12, delayMs: 250, embeds: true, exclude: [], filter: null, maxBytes: null },
    after: {
      maxPages: null,
      delayMs: 1_000,
      embeds: false,
      exclude: ['/a', '/b'],
      filter: { otherwise: 'allow' },
      maxBytes: 2_000_000,
    },
  }
  assert.equal(
    describeExisting({ collection: status, changes }),
    'minga: continues collection 2: limit 12 → none, delay 250 ms → 1000 ms, embeds on → off, ' +
      'exclude none → /a /b, filter none → a file, limit of bytes none → 2.0 MB\n',
  )
})

test('a new crawl and one that changes nothing are silent', () => {
  const same = { before: {}, after: {} }
  assert.equal(describeExisting({ collection: null, changes: same }), '')
  assert.equal(describeExisting({ collection: status, changes: same }), '')
})
