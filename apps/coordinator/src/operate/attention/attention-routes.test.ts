// Goal: each reader of the list of attention sees what they may see elsewhere, and no reader waits
// for the store twice. Method: the whole server over a store, called by people of several roles.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AttentionList, NewEvent } from '@minga/protocol'
import { openPeople, type People } from '../../../test/accounts/people-fixture.ts'
import { TOKENS } from '../../../test/station-fixture.ts'

const HOUR_MS = 3_600_000

async function codes(people: People, token: string | null): Promise<string[]> {
  const { items } = await people.ok<AttentionList>(token, 'GET', '/attention')
  return items.map(({ code }) => code)
}

/** The site answers 404 to everything; the collection ends at the pulse. */
async function crawlInVain({ station }: People): Promise<void> {
  await station.crawl({ seeds: ['http://valley.test/'] }, {})
  await station.tick()
}

test('everyone sees what they may see elsewhere', async () => {
  const people = await openPeople({ readOpenly: false })
  const { station } = people
  const reader = await people.person('rea', 'reader')
  const volunteer = await people.person('vol', 'volunteer')
  await station.device.enrol()
  await crawlInVain(people)
  await station.clock.advance(2 * HOUR_MS)
  const events = Array.from({ length: 3 }, (): NewEvent => ({
    at: station.clock.now(),
    code: 'process:replaced',
    subject: 'local-1',
    sentence: '-',
    details: { role: 'agent', pid: 2, former: 1, awayMs: 1 },
  }))
  await station.store.call('appendEvents', { events })
  assert.deepEqual(await codes(people, reader.token), ['collection-failed'])
  assert.deepEqual(await codes(people, volunteer.token), [])
  const seen = await codes(people, TOKENS.apiKey)
  for (const code of ['collection-failed', 'process-restarts', 'no-contact', 'no-public-address']) {
    assert.ok(seen.includes(code), code)
  }
  assert.equal(await people.outcome(null, 'GET', '/attention'), '401 MINGA_NOT_ALLOWED')
})

test('on its own machine unknown callers see of it what they may read', async () => {
  const people = await openPeople()
  await crawlInVain(people)
  assert.deepEqual(await codes(people, null), ['collection-failed'])
})

test('many readers ask the store once in ten seconds', async (t) => {
  const people = await openPeople()
  const asked = t.mock.method(people.station.store, 'call')
  const count = (): number =>
    asked.mock.calls.filter(({ arguments: [name] }) => name === 'attentionRows').length
  await Promise.all(Array.from({ length: 20 }, () => codes(people, null)))
  assert.equal(count(), 1)
  await people.station.clock.advance(10_000)
  await codes(people, null)
  assert.equal(count(), 2)
})
