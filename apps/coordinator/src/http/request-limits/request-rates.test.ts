// Goal: addresses, accounts, keys and costly routes have so many requests a minute, all coordinators together, and an
// ordinary caller costs the store nothing. Method: two counters over one store on both engines, and a whole station.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createVirtualClock } from '@minga/testkit'
import { ENGINES } from '../../../../../packages/store/test/contract-engines.ts'
import { openStation, START, TOKENS } from '../../../test/station-fixture.ts'
import { SharedRates } from './shared-rates.ts'
import type { Operations } from '../../station/station-operations.ts'
import type { Store } from '@minga/store'

const RATE = { what: 'requests', most: 100 }

for (const engine of ENGINES) {
  describe(`rates on ${engine.name}`, { skip: engine.skip }, () => {
    test('several coordinators share one limit, and each new minute begins with all of it', async () => {
      const operations = new URL('../../operations.ts', import.meta.url).href
      const store = await (await engine.home()).openHere<Operations>({ operations })
      const clock = createVirtualClock(START)
      let asked = 0
      const counted: Store<Operations> = {
        call: (name, args) => (asked++, store.call(name, args)),
        close: () => store.close(),
      }
      const parts = { store: counted, clock, secret: 'secret' }
      const coordinators = [new SharedRates(parts), new SharedRates(parts)]
      const takenOf = async (count: number): Promise<number> => {
        let taken = 0
        for (let i = 0; i < count; i++) {
          const isTaken = async (): Promise<boolean> => {
            await coordinators[i % 2]!.take(RATE, 'ana')
            return true
          }
          if (await isTaken().catch(() => false)) taken++
        }
        return taken
      }
      assert.equal(await takenOf(20), 20)
      assert.equal(asked, 0, 'a tenth of the limit costs no query of the store')
      // Each coordinator allows at most the tenth that was free more than one alone would.
      const more = await takenOf(400)
      assert.ok(more >= 80 && more <= 100, `${more} more were allowed`)
      assert.ok(asked <= 24, `${asked} queries of the store`)
      await assert.rejects(async () => coordinators[0]!.take(RATE, 'ana'), { retryAfterS: 60 })
      await coordinators[0]!.take(RATE, 'ben')
      await clock.advance(60_000)
      assert.equal(await takenOf(20), 20)
      await store.close()
    })
  })
}

test('an address, a key, an account and a costly route each have their limit, and this machine has more', async () => {
  const limits = { addressRequestsMax: 3, keyRequestsMax: 5, accountRequestsMax: 7 }
  const station = await openStation({ flags: { ...limits, routeRequestsMax: 2 } })
  const { app, clock } = station
  const call = async (url: string, options: { key?: string; from?: string } = {}) => {
    const { key, from = '203.0.113.9' } = options
    const headers = { host: 'localhost', ...(key ? { authorization: `Bearer ${key}` } : {}) }
    const method = url === '/sql' ? 'POST' : 'GET'
    const said = await app.inject({ method, url: `/api${url}`, headers, remoteAddress: from })
    const after = said.headers['retry-after']
    return `${said.statusCode}${after === undefined ? '' : ` after ${after}`}`
  }
  const key = TOKENS.apiKey
  const times = async (count: number, ask: () => Promise<string>): Promise<string[]> => {
    const answers: string[] = []
    for (let i = 0; i < count; i++) answers.push(await ask())
    return answers
  }
  const unknown = await times(4, () => call('/collections'))
  assert.deepEqual(unknown, ['200', '200', '200', '429 after 60'])
  assert.equal(await call('/me', { key }), '429 after 60', 'no key is looked up for it any more')
  assert.equal(await call('/collections', { from: '203.0.113.10' }), '200')
  await clock.advance(60_000)
  const known = await times(6, () => call('/me', { key }))
  assert.deepEqual(known, [...Array<string>(5).fill('200'), '429 after 60'])
  const { secret } = (await station.post('/keys', { name: 'another' })).body as { secret: string }
  const another = await times(3, () => call('/me', { key: secret }))
  assert.deepEqual(another, ['200', '200', '429 after 60'], 'the account has two more')
  await clock.advance(60_000)
  assert.deepEqual(await times(3, () => call('/sql', { key })), ['400', '400', '429 after 60'])
  assert.deepEqual(
    await times(9, () => call('/me', { key, from: '127.0.0.1' })),
    Array(9).fill('200'),
  )
})
