// Goal: many names on one machine are one guest's visits to one house. Method: a real crawl of a
// fake web whose hosts all resolve to one address, judged by that web's own log.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { endAllProcesses, startFakeWeb, startProcess } from '@minga/testkit'
import { MINGA } from '../e2e/run-minga.ts'
import { newFolder } from './crash-fixture.ts'

const ADDRESS = '127.0.72.1'
const DELAY_MS = 40
const PATIENCE_MS = 60_000

after(() => endAllProcesses())

test('hosts that share an address are never asked closer together than the delay', async () => {
  const web = await startFakeWeb({
    seed: 5,
    hosts: 6,
    named: true,
    pagesPerHost: 8,
    bytesPerPage: 300,
  })
  const options =
    `--data ${newFolder()} --scope any --delay ${DELAY_MS} --json ` +
    `--resolve *.fake.test=${ADDRESS} --allow-private-addresses`
  const args = [MINGA, 'crawl', web.seeds[0]!, ...options.split(' ')]
  const crawl = await startProcess(process.execPath, args)
  assert.equal((await crawl.waitExit(PATIENCE_MS)).code, 0, crawl.stderr())
  const addresses = new Set(web.hits().map((hit) => hit.address))
  assert.deepEqual([...addresses], [ADDRESS])
  assert.equal(new Set(web.hits().map((hit) => hit.host)).size, 6)
  assert.deepEqual(web.violations({ delayMs: DELAY_MS, per: 'address' }), [])
  const asked = new Set(web.hitsByUrl().keys())
  for (const url of web.expectedUrls({ onlyPages: true })) assert.ok(asked.has(url), url)
  await web.close()
})
