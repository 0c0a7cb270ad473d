// Goal: when the operator denies a host, nothing is dialled there any more, also by an agent that has
// it in hand, and the rest goes on. Method: a real coordinator and a real agent over HTTP against the
// fake web, judged from its log.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startAgent } from '@minga/agent'
import { startCoordinator, type Coordinator } from '@minga/coordinator/start'
import { BEAT_EVERY_MS, type BatchView, type CollectionStatus } from '@minga/protocol'
import { startFakeWeb, type FakeWeb } from '@minga/testkit'
import { callStation } from './station-process.ts'

const DELAY_MS = 50
/** The time of an answer on the road and of a request that had just been sent. */
const ON_THE_WAY_MS = 500

describe("the operator's kill switch for a host", () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'minga-kill-switch-'))
  const stop = new AbortController()
  let web: FakeWeb
  let coordinator: Coordinator
  let agent: Promise<void>

  before(async () => {
    web = await startFakeWeb({ hosts: 3, pagesPerHost: 3_000, linksPerPage: 20, crossHostShare: 0 })
    coordinator = await startCoordinator({
      data: path.join(folder, 'station'),
      listen: { host: '127.0.0.1', port: 0 },
      allowPrivateAddresses: true,
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

  const hostOf = (index: number): string => new URL(web.origin(index)).hostname
  const hitsOf = (index: number) => web.hits().filter(({ host }) => host === hostOf(index))

  async function until(isSo: () => boolean): Promise<void> {
    for (let looks = 0; looks < 300 && !isSo(); looks++) await sleep(100)
    assert.ok(isSo(), 'it did not happen within half a minute')
  }

  test('ends every dial within a beat, voids what is out and ends what is queued as denied', async () => {
    const collections = await Promise.all(
      [0, 1].map((index) =>
        call<CollectionStatus>('POST', '/collections', {
          seeds: [`${web.origin(index)}/p/0`],
          scope: 'host',
          delayMs: DELAY_MS,
        }),
      ),
    )
    const { id: batch } = await call<BatchView>('POST', '/batches', {
      urls: Array.from({ length: 50 }, (_, i) => `${web.origin(0)}/p/${2_900 + i}`),
    })
    await until(() => hitsOf(0).length > 30 && hitsOf(1).length > 30)
    const denial = { hosts: [hostOf(0)], action: 'deny', reason: 'a call from the site' }
    await call('POST', '/abuse/hosts', denial)
    const lastOnTheWayUs = monotonicUs() + (BEAT_EVERY_MS + ON_THE_WAY_MS) * 1_000
    const goingOn = hitsOf(1).length
    await sleep(3 * BEAT_EVERY_MS)
    assert.deepEqual(
      hitsOf(0).filter(({ t }) => t > lastOnTheWayUs),
      [],
    )
    const status = await call<CollectionStatus>('GET', `/collections/${collections[0]!.id}`)
    assert.equal(status.queued, 0)
    assert.ok(status.errors['MINGA_HOST_DENIED']! > 0)
    const ended = await call<BatchView>('GET', `/batches/${batch}`)
    assert.equal(ended.open, 0)
    assert.ok(ended.denied > 0)
    await until(() => hitsOf(1).length > goingOn + 10)
  })

  test('holds for whatever is asked for later, until the operator takes it back', async () => {
    const known = hitsOf(0).length
    const urls = [`${web.origin(0)}/p/7`]
    const denied = await call<BatchView>('POST', '/batches', { urls })
    assert.deepEqual([denied.open, denied.denied], [0, 1])
    await call('POST', '/abuse/hosts/forget', { hosts: [hostOf(0)] })
    assert.equal(hitsOf(0).length, known)
    await call('POST', '/batches', { urls: [`${web.origin(0)}/p/8`], maxAgeS: 0 })
    await until(() => hitsOf(0).length > known)
  })
})

/** On the clock of the fake web's log. */
function monotonicUs(): number {
  return Number(process.hrtime.bigint() / 1_000n)
}
