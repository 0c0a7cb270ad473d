// Goal: a station with a filter dials nothing that the filter denies by domain, address or country, also
// when it changes in the middle, and a theme station keeps only pages with its words. Method: a real
// coordinator and a real agent over HTTP against the fake web, judged from its log.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startAgent } from '@minga/agent'
import { startCoordinator, type Coordinator } from '@minga/coordinator/start'
import type { CaptureRow, CollectionStatus } from '@minga/protocol'
import { mmdbPlace, writeMmdb } from '@minga/net'
import { startFakeWeb, type FakeWeb } from '@minga/testkit'
import { callStation, untilFinished } from './station-process.ts'

const HOSTS = 8
const DELAY_MS = 30
/** The time of an answer on the road and of a request that had just been sent. */
const ON_THE_WAY_MS = 500
const nameOf = (index: number): string => `h${index}.fake.test`
const addressOf = (index: number): string => `127.0.8.${index + 1}`

describe('a station with a filter', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'minga-filters-'))
  const stop = new AbortController()
  let web: FakeWeb
  let coordinator: Coordinator
  let agent: Promise<void>

  before(async () => {
    web = await startFakeWeb({
      hosts: HOSTS,
      named: true,
      pagesPerHost: 40,
      linksPerPage: 20,
      crossHostShare: 0.5,
      behaviours: [{ kind: 'sitemaps' }],
    })
    const geoipFile = path.join(folder, 'countries.mmdb')
    const places = Array.from({ length: HOSTS }, (_, index) => ({
      network: `${addressOf(index)}/32`,
      record: mmdbPlace(index === 3 ? 'DE' : 'PE'),
    }))
    fs.writeFileSync(geoipFile, writeMmdb(places))
    coordinator = await startCoordinator({
      data: path.join(folder, 'station'),
      listen: { host: '127.0.0.1', port: 0 },
      allowPrivateAddresses: true,
      geoipFile,
      resolve: Array.from({ length: HOSTS }, (_, i) => `${nameOf(i)}=${addressOf(i)}`),
      flags: {
        filter: {
          otherwise: 'allow',
          rules: [
            { effect: 'deny', domains: [nameOf(1)] },
            { effect: 'deny', addresses: [`${addressOf(2)}/32`] },
            { effect: 'deny', countries: ['DE'] },
          ],
        },
      },
    })
    const { url, tokens } = coordinator
    const data = path.join(folder, 'agent')
    const asked = { stationUrl: url!, token: tokens.joinToken, data, allowPrivateAddresses: true }
    agent = startAgent(asked, stop.signal)
  })

  after(async () => {
    stop.abort()
    await agent
    await coordinator.close()
    await web.close()
    fs.rmSync(folder, { recursive: true, force: true })
  })

  const call = <T>(method: string, route: string, body?: object): Promise<T> =>
    callStation({ url: coordinator.url!, ...coordinator.tokens }, [method, route], body)

  async function collect(request: object): Promise<CollectionStatus> {
    return call('POST', '/collections', { scope: 'any', delayMs: DELAY_MS, ...request })
  }

  const finished = (id: number): Promise<CollectionStatus> =>
    untilFinished({ url: coordinator.url!, ...coordinator.tokens }, id, 60_000)

  const hitsOf = (index: number) =>
    web.hits().filter(({ host }) => host === nameOf(index) || host === addressOf(index))
  const hostsHit = (): number[] =>
    Array.from({ length: HOSTS }, (_, index) => index).filter((index) => hitsOf(index).length > 0)

  test('Admin filters override: nothing denied by domain, address or country is in the log of the web, and one denied in the middle stops', async () => {
    const { id } = await collect({ seeds: [`${web.origin(0)}/p/0`, `${web.origin(2)}/p/0`] })
    for (let looks = 0; looks < 600 && hitsOf(4).length < 5; looks++) await sleep(50)
    const { value } = (
      await call<{ name: string; value: { rules: object[] } }[]>('GET', '/settings')
    ).find(({ name }) => name === 'filter')!
    const rules = [...value.rules, { effect: 'deny', domains: [nameOf(4)] }]
    await call('PATCH', '/settings', { filter: { ...value, rules } })
    const lastUs = monotonicUs() + ON_THE_WAY_MS * 1_000
    const status = await finished(id)
    assert.deepEqual(hostsHit(), [0, 4, 5, 6, 7])
    assert.deepEqual(
      hitsOf(4).filter(({ t }) => t > lastUs),
      [],
    )
    assert.ok(status.filtered > 0, 'links to the first are left out')
    assert.ok(status.errors['MINGA_FILTERED']! > 0, 'what was queued ends as denied')
    assert.ok(status.pages > 4 * 40)
  })

  test('Admin filters override: a theme station keeps only pages with its words', async () => {
    await call('PATCH', '/settings', {
      filter: {
        otherwise: 'deny',
        rules: [{ effect: 'allow', types: ['text/html'], words: ['page 0', 'page 1', 'page 9'] }],
      },
    })
    const { id } = await collect({ seeds: [`${web.origin(5)}/p/0`], scope: 'host' })
    const status = await finished(id)
    const captures = await call<CaptureRow[]>('GET', `/captures?collectionId=${id}`)
    const pages = captures
      .map(({ url }) => new URL(url).pathname)
      .filter((p) => p.startsWith('/p/'))
    assert.deepEqual(pages.toSorted(), ['/p/0', '/p/1', '/p/9'])
    assert.ok(status.denied > 3, 'others were looked at and not kept')
  })
})

/** On the clock of the fake web's log. */
function monotonicUs(): number {
  return Number(process.hrtime.bigint() / 1_000n)
}
