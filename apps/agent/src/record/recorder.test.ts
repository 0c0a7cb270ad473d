// Goal: what is handed to the recording thread comes back as uploads, whole and in order, and the
// memory it takes is known at all times. Method: the real thread; its death in a process of its own.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { test, type TestContext } from 'node:test'
import { gunzipSync } from 'node:zlib'
import type { FetchFailure, FetchOutcome } from '@minga/net'
import { decodeUpload } from '@minga/protocol'
import type { Batch } from './outbox.ts'
import { startRecorder, weightOf, type Finding, type Recorder } from './recorder.ts'
import { answerOf, hostOf } from '../../test/station/station-client-fixture.ts'

/** It takes a second. One that hangs is to fail here, where it is named. */
const CHILD_MS = 60_000

function recorderOf(t: TestContext): Recorder {
  const recorder = startRecorder()
  t.after(() => recorder.close())
  return recorder
}

function findingOf(hash: number, outcome: FetchOutcome | null, fence = 1): Finding {
  const request = { ...hostOf([`http://h.test/${hash}`]).requests[0]!, hash }
  return { leased: { fence, hostId: 3, collectionId: 2, request }, outcome, endedAtMs: 0 }
}

const digestOf = (bytes: Buffer): string =>
  `sha256:${createHash('sha256').update(bytes).digest('hex')}`
const boot = 'boot-0001'
const uploadOf = (batch: Batch | null) => decodeUpload(Buffer.from(batch!.body))

test('responses, failures and what was not dialled come back in one upload, in their order', async (t) => {
  const recorder = recorderOf(t)
  const failure: FetchFailure = {
    ok: false,
    code: 'MINGA_CONNECT_REFUSED',
    message: 'No server there.',
    retry: 'later',
    address: '127.0.0.1',
    startedAt: 1,
    totalMs: 5,
  }
  recorder.put(findingOf(1, answerOf('<title>One</title><a href="/two">two</a>')))
  recorder.put(findingOf(2, failure))
  recorder.put(findingOf(3, null))
  const { manifest, members } = uploadOf(await recorder.batch({ boot, bytesMax: 1_000_000 }))
  assert.equal(manifest.boot, boot)
  const [one, two, three] = manifest.results
  assert.ok(one?.type === 'captured' && two?.type === 'failed')
  assert.deepEqual([one.hash, one.title, one.links], [1, 'One', ['http://h.test/two']])
  assert.deepEqual([two.hash, two.code, two.retry], [2, 'MINGA_CONNECT_REFUSED', 'later'])
  assert.deepEqual(three, { type: 'returned', fence: 1, collectionId: 2, hostId: 3, hash: 3 })
  assert.ok(members.length > 0)
  assert.equal(await recorder.batch({ boot, bytesMax: 1_000_000 }), null)
})

test('what waits is counted from the moment it is put to the moment it is delivered', async (t) => {
  const recorder = recorderOf(t)
  const findings = [
    findingOf(1, answerOf(Buffer.alloc(30_000)), 11),
    findingOf(2, answerOf('small'), 11),
    findingOf(3, null, 12),
  ]
  const weights = findings.map(weightOf)
  assert.ok(weights[0]! >= 30_000)
  for (const finding of findings) recorder.put(finding)
  const all = weights.reduce((sum, weight) => sum + weight)
  const state = () => [recorder.waiting, recorder.waitingBytes, [...recorder.fences]]
  assert.deepEqual(state(), [3, all, [11, 12]])

  const first = await recorder.batch({ boot, bytesMax: 1 })
  assert.deepEqual(state(), [3, all, [11, 12]], 'packed is not delivered')
  recorder.delivered(first!)
  assert.deepEqual(state(), [2, all - weights[0]!, [11, 12]])
  const rest = await recorder.batch({ boot, bytesMax: 1_000_000 })
  recorder.delivered(rest!)
  assert.deepEqual(state(), [0, 0, []])
})

test('a batch asked for in the same turn has what was put before it', async (t) => {
  const recorder = recorderOf(t)
  for (let round = 1; round <= 50; round++) {
    recorder.put(findingOf(round, answerOf(`page ${round}`)))
    const { manifest } = uploadOf(await recorder.batch({ boot, bytesMax: 1_000_000 }))
    assert.deepEqual(
      manifest.results.map(({ hash }) => hash),
      [round],
    )
  }
})

test('a body leaves whole whatever memory it lies in, and its neighbours stay', async (t) => {
  const recorder = recorderOf(t)
  const pooled = Buffer.from('a body in the pool of Node')
  const neighbour = Buffer.from('another request in the same pool')
  const large = Buffer.alloc(100_000, 'x')
  const slice = Buffer.alloc(200_000, 'y').subarray(10, 150_000)
  const bodies = [pooled, large, slice]
  const digests = bodies.map(digestOf)
  for (const [i, body] of bodies.entries()) {
    // Not a type that is read: only bytes count here.
    recorder.put(findingOf(i, answerOf('', { body, rawHeaders: [] })))
  }
  const { manifest } = uploadOf(await recorder.batch({ boot, bytesMax: 1_000_000 }))
  assert.deepEqual(
    manifest.results.map((result) => (result.type === 'captured' ? result.digest : null)),
    digests,
  )
  assert.equal(neighbour.toString(), 'another request in the same pool')
})

test('Compressed upload: pages travel much smaller than they are, and come out as they went in', async (t) => {
  const recorder = recorderOf(t)
  const pages = Array.from({ length: 20 }, (_, n) => `<p>${`page ${n} of many `.repeat(700)}</p>`)
  for (const [n, page] of pages.entries()) recorder.put(findingOf(n, answerOf(page)))
  const batch = await recorder.batch({ boot, bytesMax: 10_000_000 })
  const pageBytes = pages.join('').length
  assert.ok(batch!.body.length < pageBytes / 5, `${batch!.body.length} of ${pageBytes} bytes`)
  const { manifest, members } = uploadOf(batch)
  let at = 0
  for (const [n, result] of manifest.results.entries()) {
    assert.ok(result.type === 'captured')
    const record = gunzipSync(members.subarray(at, at + result.members[0]!)).toString()
    assert.ok(record.trimEnd().endsWith(pages[n]!))
    for (const length of result.members) at += length
  }
  assert.equal(at, members.length)
})

test('a caller that waits for a change is woken by a result, by a delivery and by a stop', async (t) => {
  const recorder = recorderOf(t)
  const put = recorder.changed()
  recorder.put(findingOf(1, null))
  await put
  const batch = await recorder.batch({ boot, bytesMax: 1 })
  const delivered = recorder.changed()
  recorder.delivered(batch!)
  await delivered
  const stop = new AbortController()
  const stopped = recorder.changed(stop.signal)
  stop.abort()
  await stopped
})

test('a page that takes long to record does not hold up this thread', async (t) => {
  const recorder = recorderOf(t)
  const page = Buffer.from('<a href="/x">x</a>'.repeat(200_000))
  recorder.put(findingOf(1, answerOf(page)))
  let turns = 0
  const turning = setInterval(() => turns++, 1)
  const batch = await recorder.batch({ boot, bytesMax: 1 })
  clearInterval(turning)
  assert.equal(batch?.fences.length, 1)
  assert.ok(turns > 5, `the loop turned ${turns} times in the meantime`)
})

/** With a thread that goes astray where a page says so. */
function strayRecorder(t: TestContext, limits: { pageMs: number; memoryMb: number }): Recorder {
  const thread = new URL('../../test/record/record-thread-fixture.ts', import.meta.url)
  const recorder = startRecorder({ thread, ...limits })
  t.after(() => recorder.close())
  return recorder
}

const facts = ({ results }: ReturnType<typeof uploadOf>['manifest']): unknown[] =>
  results.map((result) =>
    result.type === 'captured' ? [result.hash, result.links.length, result.unread] : null,
  )

test('a page that is read for ever is captured without links and with a code; others, earlier or later, as ever', async (t) => {
  const recorder = strayRecorder(t, { pageMs: 1_000, memoryMb: 512 })
  const fine = '<title>Fine</title><a href="/two">two</a>'
  const endless = Buffer.from('<title>Slow</title><a href="/x">read me for ever</a>')
  recorder.put(findingOf(1, answerOf(fine)))
  recorder.put(findingOf(2, answerOf(fine)))
  const first = await recorder.batch({ boot, bytesMax: 1 })
  recorder.put(findingOf(3, answerOf(endless)))
  recorder.put(findingOf(4, answerOf(fine)))
  const rest = await recorder.batch({ boot, bytesMax: 10_000_000 })
  const { manifest, members } = uploadOf(rest)
  assert.deepEqual(facts(uploadOf(first).manifest), [[1, 1, null]])
  assert.deepEqual(facts(manifest), [
    [2, 1, null],
    [3, 0, 'page:too-slow'],
    [4, 1, null],
  ])
  const [before, slow] = manifest.results
  assert.ok(before?.type === 'captured' && slow?.type === 'captured')
  const at = before.members.reduce((sum, length) => sum + length)
  const record = gunzipSync(members.subarray(at, at + slow.members[0]!)).toString()
  assert.ok(record.includes(endless.toString()))
  assert.deepEqual([slow.digest, slow.payloadBytes], [digestOf(endless), endless.length])
  for (const batch of [first, rest]) recorder.delivered(batch!)
  assert.deepEqual([recorder.waiting, recorder.waitingBytes], [0, 0])
})

test('a page that fills the memory of the thread is captured without links and with a code', async (t) => {
  const recorder = strayRecorder(t, { pageMs: 60_000, memoryMb: 32 })
  recorder.put(findingOf(1, answerOf('<a href="/x">fill the memory</a>')))
  recorder.put(findingOf(2, answerOf('<a href="/x">fine</a>')))
  const { manifest } = uploadOf(await recorder.batch({ boot, bytesMax: 10_000_000 }))
  assert.deepEqual(facts(manifest), [
    [1, 0, 'page:too-large'],
    [2, 1, null],
  ])
})

test('a recorder whose thread is astray can be closed', async (t) => {
  const recorder = strayRecorder(t, { pageMs: 200, memoryMb: 512 })
  recorder.put(findingOf(1, answerOf('read me for ever')))
  void recorder.batch({ boot, bytesMax: 1 })
  await recorder.close()
})

test('a thread that does not end when it is asked to is ended all the same', async () => {
  // It receives nothing: not even the request to end.
  const thread = new URL('data:text/javascript,setInterval(() => {}, 1_000)')
  let sleptMs = 0
  const clock = { sleep: async (ms: number) => void (sleptMs += ms) }
  const recorder = startRecorder({ thread, clock })
  await recorder.close()
  assert.equal(sleptMs, 5_000)
})

test('a recording thread that dies takes its process along: the results are lost, so must be the leases', async () => {
  const here = (file: string): string => JSON.stringify(new URL(file, import.meta.url).href)
  const script = `(async () => {
    const { startRecorder } = await import(${here('./recorder.ts')})
    const { answerOf, hostOf } = await import(${here('../../test/station/station-client-fixture.ts')})
    const recorder = startRecorder()
    const [request] = hostOf(['http://h.test/']).requests
    const leased = { fence: 1, hostId: 1, collectionId: 1, request }
    // No response is without headers: it stands for an unforeseen case.
    recorder.put({ leased: leased, outcome: answerOf('', { requestHeaders: null }), endedAtMs: 0 })
    await recorder.batch({ boot: 'boot-0001', bytesMax: 1 })
    console.log('went on')
    process.exit()
  })()`
  const child = spawn(process.execPath, ['--eval', script], { timeout: CHILD_MS })
  let out = ''
  let err = ''
  child.stdout.on('data', (data: Buffer) => (out += data.toString()))
  child.stderr.on('data', (data: Buffer) => (err += data.toString()))
  const [code] = (await once(child, 'close')) as [number]
  assert.equal(out, '')
  assert.equal(code, 1)
  assert.match(err, /TypeError/)
})

test('a recorder closed in the middle of its work ends by itself, and closing it twice is no harm', async () => {
  const recorder = startRecorder()
  for (let hash = 1; hash <= 200; hash++) recorder.put(findingOf(hash, answerOf('<p>text</p>')))
  // The first answer tells that it is at work.
  await recorder.batch({ boot, bytesMax: 1 })
  for (let hash = 1; hash <= 200; hash++) recorder.put(findingOf(hash, answerOf('<p>text</p>')))
  await recorder.close()
  await recorder.close()
})
