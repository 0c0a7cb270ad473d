// Goal: an answer that lasts for hours ends within a minute after its reader lost the right to it,
// and not before. Method: a station on a virtual clock; people read each of its streams over HTTP
// while their rights are taken away.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { after, before, describe, test } from 'node:test'
import type { Query } from '@minga/lake'
import { openLake, type LakeStation } from '../test/lake/lake-fixture.ts'
import { TOKENS } from '../test/station-fixture.ts'

const MINUTE_MS = 60_000
const NUMBERS: Query = {
  name: 'all',
  about: 'All numbers',
  inputs: { numbers: { columns: { n: { type: 'integer', isRequired: true } } } },
  from: { step: 'scan', input: 'numbers' },
  output: { columns: ['n'], order: [{ column: 'n' }] },
}

describe('streams and the rights of their readers', () => {
  let people: LakeStation
  let port: number

  before(async () => {
    people = await openLake({ readOpenly: false, registration: 'operator' })
    await people.station.app.listen({ host: 'localhost', port: 0 })
    port = (people.station.app.addresses()[0] as { port: number }).port
  })

  after(() => people.station.app.close())

  async function open(token: string, path: string): Promise<{ ended: Promise<void> }> {
    const headers = { authorization: `Bearer ${token}`, host: 'localhost' }
    const call = get({ host: 'localhost', port, path: `/api${path}`, headers })
    const [answer] = (await once(call, 'response')) as [IncomingMessage]
    assert.equal(answer.statusCode, 200, path)
    answer.resume()
    return { ended: once(answer, 'end').then(() => {}) }
  }

  /** The streams that people of a role read, each of something that lasts. */
  const STREAMS = {
    '/events': 'reader',
    '/event-log/stream': 'operator',
    '/batches/ID/events': 'client',
    '/queries/ID/stream': 'collector',
  } as const

  async function reader(name: string, path: keyof typeof STREAMS) {
    const role = STREAMS[path]
    const person = await people.person(name, role)
    if (role === 'collector') {
      // No worker is running, so the stream continues for as long as it is read.
      const upload = await people.upload(person.token, 'numbers.csv', 'n\n1\n')
      const message = { queries: [NUMBERS], inputs: { numbers: { upload } } }
      const { id } = await people.submit(person.token, message)
      return { ...person, path: path.replace('ID', id) }
    }
    if (role !== 'client') return { ...person, path }
    const budget = { micros: 1_000_000 }
    await people.ok(TOKENS.apiKey, 'POST', `/accounts/${person.id}/top-up`, budget)
    const request = { urls: ['http://slow.test/'], isLast: false }
    const { id } = await people.ok<{ id: string }>(person.token, 'POST', '/batches', request)
    return { ...person, path: path.replace('ID', id) }
  }

  for (const path of Object.keys(STREAMS) as (keyof typeof STREAMS)[]) {
    test(`${path} ends with the session, the key and the role that it was opened with`, async () => {
      const name = path.replaceAll(/\W/g, '')
      const person = await reader(name, path)
      const { clock } = people.station
      const { key, secret } = await people.key(person.token)
      const session = await people.logIn(name)
      const other = await people.logIn(name)
      const ofKey = await open(secret, person.path)
      const ofSession = await open(session, person.path)
      let isOver = false
      const ofOther = await open(other, person.path)
      void ofOther.ended.then(() => (isOver = true))
      await people.ok(person.token, 'DELETE', `/keys/${key.id}`)
      await people.ok(session, 'DELETE', '/sessions')
      await clock.advance(MINUTE_MS)
      await Promise.all([ofKey.ended, ofSession.ended])
      assert.equal(isOver, false, 'who keeps the right keeps the stream')
      const roles = { roles: ['volunteer'] }
      await people.ok(TOKENS.apiKey, 'POST', `/accounts/${person.id}/roles`, roles)
      await clock.advance(MINUTE_MS)
      await ofOther.ended
    })
  }

  test('to look whether a reader still may is no use of their session', async () => {
    const { id, token } = await people.person('idle', 'reader')
    const { ended } = await open(token, '/events')
    const { clock, store } = people.station
    const begun = clock.now()
    await clock.advance(3 * MINUTE_MS)
    const asked = { accountId: id, own: null, now: clock.now() }
    const [session] = await store.call('listSessions', asked)
    assert.ok(session!.seenAt! <= begun)
    await people.ok(token, 'DELETE', '/sessions')
    await clock.advance(MINUTE_MS)
    await ended
  })
})
