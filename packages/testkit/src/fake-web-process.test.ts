// Goal: a fake web in a process of its own is judged like one in ours, and is never left behind.
// Method: raw requests to a small one, its log read while it runs and after it was killed.
import assert from 'node:assert/strict'
import { test } from 'node:test'

import { startFakeWebProcess } from './fake-web-process.ts'
import { startFakeWeb } from './fake-web.ts'
import { endAllProcesses } from './processes.ts'
import { rawGet } from './web/raw-request.ts'

test('whatever was answered can be judged at once', async (t) => {
  const web = await startFakeWebProcess({ hosts: 2, pagesPerHost: 3 })
  t.after(() => web.close())
  for (const page of [0, 1, 2, 1]) {
    const before = web.logBytes()
    await rawGet(`${web.origin(1)}/p/${page}`)
    assert.equal(web.hits().at(-1)?.url, `${web.origin(1)}/p/${page}`)
    assert.ok(web.logBytes() > before)
  }
  assert.equal(web.violations({ delayMs: 10_000, per: 'host' }).length, 3)
  assert.equal(web.concurrencyMax('address'), 1)
  assert.deepEqual(
    web.refetched().map(({ url, hits }) => [url, hits.length]),
    [[`${web.origin(1)}/p/1`, 2]],
  )
  assert.equal(web.hitsByUrl().size, 3)
})

test('it expects the same crawl as a web of the same spec in this process', async (t) => {
  const spec = { hosts: 4, pagesPerHost: 9, behaviours: [{ kind: 'redirects' as const, on: [2] }] }
  const [apart, here] = [await startFakeWebProcess(spec), await startFakeWeb(spec)]
  t.after(() => Promise.all([apart.close(), here.close()]))
  const paths = (urls: string[], port: number): string[] =>
    urls.map((url) => url.replace(`:${port}`, ''))
  assert.deepEqual(paths(apart.expectedUrls(), apart.port), paths(here.expectedUrls(), here.port))
  assert.deepEqual(paths(apart.seeds, apart.port), paths(here.seeds, here.port))
})

test('killed with all other processes, its hits can still be read, and it can be closed', async () => {
  const web = await startFakeWebProcess({ hosts: 1 })
  await rawGet(`${web.origin(0)}/p/0`)
  await endAllProcesses()
  assert.equal(web.hits().length, 1)
  await web.close()
})

test('a spec that makes no sense is refused before a process is started', async () => {
  await assert.rejects(startFakeWebProcess({ hosts: 0 }), { code: 'MINGA_BAD_FAKE_WEB_SPEC' })
})
