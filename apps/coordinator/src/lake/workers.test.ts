// Goal: workers get tasks as soon as there are some, on this machine and on others, and touch no file but those of
// their task. Method: whole stations on both databases; calls as workers make them, right, stale and hostile; and
// the real worker over real HTTP without the lake's folder.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { Query, Task } from '@minga/lake'
import type { QueryView, WorkerView } from '@minga/protocol'
import { ENGINES, temporaryFolder } from '../../../../packages/store/test/contract-engines.ts'
import { startWorker } from '../../../../packages/lake/src/worker/start-worker.ts'
import { TOKENS, type Said } from '../../test/station-fixture.ts'
import { openLake, sharedLake, type LakeStation } from '../../test/lake/lake-fixture.ts'

const OPERATOR = TOKENS.apiKey

const WORDS: Query = {
  name: 'words',
  about: 'How often each word is there',
  inputs: { words: { columns: { word: { type: 'text', isRequired: true } } } },
  from: {
    step: 'group',
    from: { step: 'scan', input: 'words' },
    by: ['word'],
    aggregates: { times: { is: 'count' } },
  },
  output: { columns: ['word', 'times'], order: [{ column: 'word' }] },
}

async function asked(lake: LakeStation, input?: object): Promise<QueryView> {
  const upload = input ? '' : await lake.upload(OPERATOR, 'words.csv', 'word\nsi\nno\nsi\n')
  const words = (input ?? { upload }) as { upload: string }
  return lake.submit(OPERATOR, { queries: [WORDS], inputs: { words } })
}

const leaseOf = ({ query, stage, index, fence }: Task): string =>
  new URLSearchParams({ query, stage, index: `${index}`, fence: `${fence}` }).toString()

const sha = (bytes: Buffer): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`

function put(
  lake: LakeStation,
  task: Task,
  { name, bytes, offset = 0, total = bytes.length }: PutFile,
): Promise<Said> {
  return lake.station.inject({
    method: 'PUT',
    url: `/worker/files/${name}?${leaseOf(task)}&offset=${offset}&total=${total}`,
    headers: {
      authorization: `Bearer ${TOKENS.workerToken}`,
      'content-type': 'application/octet-stream',
      'x-minga-digest': sha(bytes),
    },
    payload: bytes,
  })
}

interface PutFile {
  name: string
  bytes: Buffer
  offset?: number
  total?: number
}

const outcome = ({ status, body }: Said): string =>
  status === 200 ? '200' : `${status} ${(body as { error: { code: string } }).error.code}`

async function get(lake: LakeStation, url: string, range?: string): Promise<string> {
  const headers = {
    host: 'localhost',
    authorization: `Bearer ${TOKENS.workerToken}`,
    ...(range ? { range } : {}),
  }
  const { statusCode, body } = await lake.station.app.inject({ url, headers })
  return statusCode < 300 ? `${statusCode} ${body}` : `${statusCode}`
}

// Before the first test: a runner that has run all it knows of takes the file for done, and closes them.
const lakes = await Promise.all(ENGINES.map((engine) => sharedLake({ engine })))

for (const [i, engine] of ENGINES.entries()) {
  const shared = lakes[i]!

  describe(`workers on ${engine.name}`, { skip: engine.skip }, () => {
    test('only the station’s own token and keys with the right open it to workers', async () => {
      const lake = await openLake({ engine, readOpenly: false })
      const collector = await lake.someone('collector')
      const { secret: worker } = await lake.key(OPERATOR, ['workers:run'])
      const { secret: other } = await lake.key(OPERATOR, ['queries:run'])
      const ask = async (token: string) =>
        outcome(await lake.worker('lease', { engine: 'any', waitMs: 0 }, token))
      assert.equal(await ask(TOKENS.workerToken), '200')
      assert.equal(await ask(worker), '200')
      assert.equal(await ask(other), '403 MINGA_FORBIDDEN')
      assert.equal(await ask(collector), '403 MINGA_FORBIDDEN')
      for (const token of ['', 'x', TOKENS.joinToken]) {
        assert.equal(await ask(token), '401 MINGA_NOT_ALLOWED')
      }
      assert.equal(
        await lake.outcome(TOKENS.workerToken, 'GET', '/queries'),
        '401 MINGA_NOT_ALLOWED',
      )
    })

    test('a waiting worker gets a task as soon as a query arrives or a stage opens', async () => {
      const lake = await shared()
      const waiting = lake.worker('lease', { engine: 'any', waitMs: 30_000 })
      const { id } = await asked(lake)
      const { task } = (await waiting).body as { task: Task }
      assert.equal(task.query, id)
      const done = await lake.run(task)
      const next = lake.worker('lease', { engine: 'any', waitMs: 30_000 })
      assert.equal(await lake.commit(task, done), 'accepted')
      assert.equal(await lake.commit(task, done), 'already')
      // A small question has one stage only.
      if ((await lake.view(OPERATOR, id)).state === 'done') await asked(lake)
      const second = ((await next).body as { task: Task }).task
      assert.ok(second.fence > task.fence)
    })

    test('a waiting worker gets an empty answer when its time is over', async () => {
      const lake = await shared()
      const waiting = lake.worker('lease', { engine: 'any', waitMs: 3_000 })
      const isOver = waiting.then(() => true)
      const turn = (): Promise<false> =>
        new Promise((resolve) => setTimeout(() => resolve(false), 1))
      while (!(await Promise.race([isOver, turn()]))) await lake.station.clock.advance(500)
      assert.deepEqual((await waiting).body, { task: null })
    })

    test('a lease that is not renewed goes to another, and its first holder changes nothing', async () => {
      const lake = await shared()
      const { id } = await asked(lake)
      const first = (await lake.lease())!
      const done = await lake.run(first)
      for (const ms of [60_000, 5_000]) {
        await lake.station.clock.advance(ms)
        await lake.station.tick()
      }
      const second = (await lake.lease())!
      assert.deepEqual([second.stage, second.index], [first.stage, first.index])
      assert.ok(second.fence > first.fence)
      const { query, stage, index, fence } = first
      const beat = { tasks: [{ query, stage, index, fence, progress: 1 }] }
      const { lost } = (await lake.worker('beat', beat)).body as { lost: unknown[] }
      assert.equal(lost.length, 1)
      assert.equal(await lake.commit(first, done), 'stale')
      await lake.commit(second, await lake.run(second))
      await lake.work()
      assert.equal((await lake.view(OPERATOR, id)).state, 'done')
    })

    test('a task that is given back, and one whose worker is known to be dead, are free at once', async () => {
      const lake = await shared()
      await asked(lake)
      const { query, stage, index, fence } = (await lake.lease())!
      assert.equal(await lake.lease(), null)
      await lake.worker('return', { query, stage, index, fence })
      assert.ok(await lake.lease())
      assert.equal(await lake.lease(), null)
      assert.equal(outcome(await lake.worker('ended', {})), '200')
      assert.ok((await lake.lease())!.fence > fence)
    })

    test('files are read and written for a task in hand only, and only those that are its own', async () => {
      const lake = await shared()
      const { id } = await asked(lake)
      const task = (await lake.lease())!
      const [read] = task.reads
      const file = read!.kind === 'range' ? read!.file.name : ''
      const url = `/worker/files/${file}?${leaseOf(task)}`
      assert.equal(await get(lake, url), '200 word\nsi\nno\nsi\n')
      assert.equal(await get(lake, url, 'bytes=5-7'), '206 si\n')
      const about = file.replace(/[^/]+$/, 'about.json')
      for (const name of [about, 'nothing', '..%2F..%2Fstation.json', `${file}/..`]) {
        assert.equal(await get(lake, `/worker/files/${name}?${leaseOf(task)}`), '404', name)
      }
      const [own, bytes] = [
        `${task.folder}/${task.index}-${task.fence}-rows`,
        Buffer.from('123456'),
      ]
      const half = { bytes: bytes.subarray(0, 3), total: 6 }
      assert.deepEqual((await put(lake, task, { name: own, ...half })).body, { received: 3 })
      const again = await put(lake, task, { name: own, ...half })
      assert.deepEqual([again.status, (again.body as { received: number }).received], [409, 3])
      assert.ok(!existsSync(join(lake.folder, own)))
      const rest = { bytes: bytes.subarray(3), offset: 3, total: 6 }
      assert.deepEqual((await put(lake, task, { name: own, ...rest })).body, { received: 6 })
      assert.equal(readFileSync(join(lake.folder, own), 'utf8'), '123456')
      const none = await put(lake, task, { name: `${own}-none`, bytes: Buffer.alloc(0) })
      assert.deepEqual(none.body, { received: 0 })
      assert.ok(existsSync(join(lake.folder, `${own}-none`)))
      for (const name of [
        `${task.folder}/${task.index}-${task.fence + 1}-rows`,
        `${task.folder}/${task.index + 1}-${task.fence}-rows`,
        `queries/other/${task.stage}/${task.index}-${task.fence}-rows`,
        `tables/any/other/${task.index}-${task.fence}-rows`,
        `${task.folder}/deeper/${task.index}-${task.fence}-rows`,
        'inputs/x',
      ]) {
        assert.equal(outcome(await put(lake, task, { name, bytes })), '400 MINGA_BAD_PART', name)
      }
      await lake.ok(OPERATOR, 'POST', `/queries/${id}/cancel`)
      assert.equal(await get(lake, url), '410')
      assert.equal(outcome(await put(lake, task, { name: own, bytes })), '410 MINGA_TASK_TAKEN')
    })

    test('a file of the machine is sent to a worker while it is as it was, and no other is', async () => {
      const lake = await shared()
      const path = lake.write('words.csv', 'word\nsi\nno\n')
      const other = lake.write('other.csv', 'secret')
      await asked(lake, { path })
      const task = (await lake.lease())!
      const url = (name: string) =>
        `/worker/outside?path=${encodeURIComponent(name)}&${leaseOf(task)}`
      assert.equal(await get(lake, url(path)), '200 word\nsi\nno\n')
      assert.equal(await get(lake, url(other)), '404')
      assert.equal(await get(lake, url('/etc/passwd')), '404')
      lake.write('words.csv', 'word\nsi\nno\nmas\n')
      assert.equal(await get(lake, url(path)), '409')
    })
  })
}

test('who works is shown to operators, with what they have in hand', async () => {
  const lake = await openLake()
  await asked(lake)
  const { query, stage, index, fence } = (await lake.lease())!
  await lake.worker('beat', { tasks: [{ query, stage, index, fence, progress: 1 }] })
  const [worker] = await lake.ok<WorkerView[]>(OPERATOR, 'GET', '/workers')
  assert.deepEqual([worker!.name, worker!.tasks], ['a worker', 1])
  await lake.station.clock.advance(600_000)
  assert.deepEqual(await lake.ok(OPERATOR, 'GET', '/workers'), [])
})

test('a worker on another machine does a whole query through the station', async () => {
  const lake = await openLake()
  const { app } = lake.station
  const stationUrl = (await app.listen({ host: '127.0.0.1', port: 0 })).replace(
    '127.0.0.1',
    'localhost',
  )
  const stop = new AbortController()
  const cacheFolder = join(temporaryFolder(), 'cache')
  mkdirSync(cacheFolder)
  const settings = { data: null, name: 'far', memoryMb: 256, threads: 1, cacheFolder }
  const working = startWorker({ stationUrl, token: TOKENS.workerToken, ...settings }, stop.signal)
  const path = join(lake.station.data, 'words.csv')
  writeFileSync(path, `word\n${'si\nno\nsi\n'.repeat(10_000)}`)
  const { id } = await asked(lake, { path })
  for (let n = 0; n < 1_200; n++) {
    if ((await lake.view(OPERATOR, id)).state !== 'running') break
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  const { state, error } = await lake.view(OPERATOR, id)
  assert.deepEqual([state, error], ['done', null])
  const { text } = await lake.bytes(OPERATOR, `/queries/${id}/results/words`)
  assert.equal(text, 'word,times\nno,10000\nsi,20000\n')
  stop.abort()
  await working
})
