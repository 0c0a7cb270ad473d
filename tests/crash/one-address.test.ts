// Goal: many names on one machine are one guest's visits to one house. Method: a real crawl of a
// fake web whose hosts all resolve to one address, judged by that web's own log.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newFolder, newWeb, startMinga } from './crash-fixture.ts'

const ADDRESS = '127.0.72.1'
const DELAY_MS = 40
const PATIENCE_MS = 60_000

test('hosts that share an address are never asked closer together than the delay', async () => {
  const web = await newWeb({
    seed: 5,
    hosts: 6,
    named: true,
    pagesPerHost: 8,
    bytesPerPage: 300,
  })
  const options =
    `--data ${newFolder()} --scope any --delay ${DELAY_MS} --json ` +
    `--resolve *.fake.test=${ADDRESS} --allow-private-addresses`
  const crawl = await startMinga(['crawl', ...web.seeds, ...options.split(' ')])
  assert.equal((await crawl.waitExit(PATIENCE_MS)).code, 0, crawl.stderr())
  const addresses = new Set(web.hits().map((hit) => hit.address))
  assert.deepEqual([...addresses], [ADDRESS])
  assert.equal(new Set(web.hits().map((hit) => hit.host)).size, 6)
  assert.deepEqual(web.violations({ delayMs: DELAY_MS, per: 'address' }), [])
  assert.equal(web.concurrencyMax('address'), 1)
  const asked = new Set(web.hitsByUrl().keys())
  for (const url of web.expectedUrls({ onlyPages: true })) assert.ok(asked.has(url), url)
})
