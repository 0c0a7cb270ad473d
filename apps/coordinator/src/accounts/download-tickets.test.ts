// Goal: a link opens the one download it was made for, once and soon, and nothing else ever. Method: a station closed to
// the network on both databases, with tickets used again, late, for other things, by two at once, and after a log-out.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ENGINES } from '../../../../packages/store/test/contract-engines.ts'
import { openPeople, PASSWORD, type People } from '../../test/accounts/people-fixture.ts'

const LATE_MS = 60_000
const WANTED = '/collections?limit=5'

interface Ticket {
  link: string
  expiresAt: number
}

const ticketFor = (people: People, shown: Parameters<People['ok']>[0], path = WANTED) =>
  people.ok<Ticket>(shown, 'POST', '/download-tickets', { path })

/** Nothing is shown but the link itself. */
const follow = (people: People, link: string, headers: Record<string, string> = {}) =>
  people.outcome(headers, 'GET', link.replace('/api', ''))

const stations = await Promise.all(
  ENGINES.map(async (engine) =>
    engine.skip ? null : openPeople({ engine, readOpenly: false, registration: 'operator' }),
  ),
)

for (const [i, engine] of ENGINES.entries()) {
  describe(`download tickets on ${engine.name}`, { skip: engine.skip }, () => {
    const people = stations[i]!

    test('a link with a ticket is followed without other credentials, once', async () => {
      const { token } = await people.person('once', 'reader')
      const { link, expiresAt } = await ticketFor(people, token)
      assert.match(link, /^\/api\/collections\?limit=5&ticket=minga_ticket_[\w-]{43}$/)
      assert.equal(expiresAt, people.station.clock.now() + LATE_MS)
      assert.equal(await follow(people, link), '200')
      assert.equal(await follow(people, link), '403 MINGA_STALE_TICKET')
    })

    test('of two who follow the same link at once one gets the file', async () => {
      const { token } = await people.person('twice', 'reader')
      const { link } = await ticketFor(people, token)
      const said = await Promise.all(Array.from({ length: 8 }, () => follow(people, link)))
      assert.equal(said.filter((one) => one === '200').length, 1)
    })

    test('a ticket opens no other address, method or place in the address, and is spent by the try', async () => {
      const { token } = await people.person('elsewhere', 'collector')
      const tries: ((link: string) => string)[] = [
        (link) => link.replace('limit=5', 'limit=50'),
        (link) => link.replace('/collections', '/captures'),
        (link) => link.replace('limit=5', 'limit=5&after=1'),
      ]
      for (const other of tries) {
        const { link } = await ticketFor(people, token)
        assert.equal(await follow(people, other(link)), '403 MINGA_STALE_TICKET')
        assert.equal(await follow(people, link), '403 MINGA_STALE_TICKET')
      }
      const { link } = await ticketFor(people, token)
      const path = link.replace('/api', '')
      const ticket = /ticket=([\w-]+)/.exec(link)![1]!
      const seeds = { seeds: ['http://ticket.test/'] }
      for (const refused of [
        people.outcome({}, 'POST', path, seeds),
        people.outcome({}, 'GET', `${path}&more=1`),
        people.outcome({ 'x-minga-token': ticket }, 'GET', WANTED),
        people.outcome(ticket, 'GET', WANTED),
        people.outcome({ cookie: `minga_session=${ticket}` }, 'GET', WANTED),
      ]) {
        assert.equal(await refused, '401 MINGA_NOT_ALLOWED')
      }
      assert.equal(await follow(people, link), '200')
    })

    test('a ticket is worth nothing after its minute, nor after its maker has logged out', async () => {
      const { token } = await people.person('late', 'reader')
      const { link } = await ticketFor(people, token)
      people.station.clock.jumpWall(LATE_MS)
      assert.equal(await follow(people, link), '403 MINGA_STALE_TICKET')
      const other = await ticketFor(people, token)
      await people.ok(token, 'DELETE', '/sessions')
      assert.equal(await follow(people, other.link), '401 MINGA_NOT_ALLOWED')
    })

    test('a ticket gives no more rights than its maker has, and no further ticket', async () => {
      const { token } = await people.person('lending', 'volunteer')
      const { link } = await ticketFor(people, token)
      assert.equal(await follow(people, link), '403 MINGA_FORBIDDEN')
      const again = await ticketFor(people, token, '/download-tickets')
      const path = again.link.replace('/api', '')
      const body = { path: WANTED }
      assert.equal(await people.outcome({}, 'POST', path, body), '401 MINGA_NOT_ALLOWED')
    })

    test('only known callers get one, and a cookie alone does not identify a caller', async () => {
      const body = { path: WANTED }
      const asked = (shown: Record<string, string> | null) =>
        people.outcome(shown, 'POST', '/download-tickets', body)
      assert.equal(await asked(null), '401 MINGA_NOT_ALLOWED')
      await people.account('browsing', ['reader'])
      const response = await people.station.app.inject({
        method: 'POST',
        url: '/api/sessions',
        headers: { host: 'localhost', origin: 'http://localhost' },
        payload: { name: 'browsing', password: PASSWORD },
      })
      const cookie = String(response.headers['set-cookie']).split(';', 1)[0]!
      const { pageToken } = response.json<{ pageToken: string }>()
      const origin = 'http://localhost'
      assert.equal(await asked({ cookie, origin }), '401 MINGA_NOT_ALLOWED')
      const own = { cookie, origin, 'x-minga-token': pageToken }
      assert.equal(await asked(own), '200')
      const { link } = await ticketFor(people, own)
      assert.equal(await follow(people, link, { cookie }), '200')
      assert.equal(await follow(people, link, { cookie }), '403 MINGA_STALE_TICKET')
    })

    test('a ticket leads nowhere but below the API', async () => {
      const { token } = await people.person('astray', 'reader')
      for (const path of [
        '//evil.test/x',
        'http://evil.test/',
        '/\\evil.test',
        '/a#b',
        '/a b',
        '',
      ]) {
        const said = await people.outcome(token, 'POST', '/download-tickets', { path })
        assert.equal(said, '400 MINGA_BAD_MESSAGE', path)
      }
    })
  })
}
