// Goal: who guesses a password keeps its owner out of nothing, and guesses no faster from many places. Method: a station
// on a virtual clock that is called from the addresses of the tests.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openPeople, PASSWORD, type People } from '../../test/accounts/people-fixture.ts'

const MINUTE_MS = 60_000
const HOME = '192.0.2.1'
const OFFICE = '198.51.100.7'

interface From {
  address: string
  cookie?: string
  password?: string
  name?: string
}

async function logIn(people: People, from: From) {
  const { address, cookie, password = PASSWORD, name = 'ana' } = from
  return people.station.app.inject({
    method: 'POST',
    url: '/api/sessions',
    remoteAddress: address,
    headers: { host: 'localhost', ...(cookie === undefined ? {} : { cookie }) },
    payload: { name, password },
  })
}

const status = async (people: People, from: From): Promise<number> =>
  (await logIn(people, from)).statusCode

const guess = (people: People, i: number, name = 'ana'): Promise<number> =>
  status(people, { address: `203.0.113.${i}`, password: 'a guess or two', name })

/** What the browser is known by, without its session. */
async function knownBrowser(people: People, name = 'ana'): Promise<string> {
  const set = (await logIn(people, { address: HOME, name })).headers['set-cookie'] as string[]
  return set.find((each) => /^minga_\w+_known=/.test(each))!.split(';', 1)[0]!
}

async function attacked(): Promise<{ people: People; cookie: string; other: string }> {
  const people = await openPeople()
  await people.account('ana', ['reader'])
  await people.account('eva', ['reader'])
  const cookie = await knownBrowser(people)
  const other = await knownBrowser(people, 'eva')
  return { people, cookie, other }
}

test('password guesses from one address are delayed, and no other caller is', async () => {
  const { people } = await attacked()
  for (let i = 0; i < 10; i++) assert.equal(await guess(people, 1), 401)
  assert.equal(await guess(people, 1), 429)
  assert.equal(await status(people, { address: '203.0.113.1' }), 429, 'with the right password')
  assert.equal(await status(people, { address: OFFICE }), 200)
  await people.station.clock.advance(MINUTE_MS)
  assert.equal(await guess(people, 1), 401, 'one a minute')
  assert.equal(await guess(people, 1), 429)
})

test('many addresses guess no faster than a minute each together, and places and browsers that are known get through', async () => {
  const { people, cookie, other } = await attacked()
  for (let i = 0; i < 30; i++) assert.equal(await guess(people, i), 401)
  for (let minutes = 0; minutes < 3; minutes++) {
    assert.equal(await guess(people, 40 + minutes), 429, 'a new address')
    assert.equal(await status(people, { address: OFFICE }), 429, 'a stranger with the password')
    assert.equal(await status(people, { address: OFFICE, cookie: other }), 429, 'known as eva')
    assert.equal(await status(people, { address: HOME }), 200, 'a known place')
    assert.equal(await status(people, { address: OFFICE, cookie }), 200, 'a known browser')
    assert.equal(await guess(people, 60, 'eva'), 401, 'another name')
    await people.station.clock.advance(MINUTE_MS)
    assert.equal(await guess(people, 50 + minutes), 401, 'one a minute')
  }
})

test('a known browser guesses no faster than any, and is known for this name, by this station and for a while', async () => {
  const { people, cookie } = await attacked()
  const tries = (): Promise<number> =>
    status(people, { address: OFFICE, cookie, password: 'a guess or two' })
  for (let i = 0; i < 10; i++) assert.equal(await tries(), 401)
  assert.equal(await tries(), 429)
  for (let i = 0; i < 30; i++) await guess(people, i)
  const forged = cookie.replace(/\.\d+\./, '.999999999999999.')
  assert.equal(await status(people, { address: '198.51.100.9', cookie: forged }), 429)
  assert.equal(await status(people, { address: '198.51.100.9', cookie: `${cookie}x` }), 429)
  await people.station.clock.advance(91 * 24 * 60 * MINUTE_MS)
  for (let i = 0; i < 30; i++) assert.equal(await guess(people, i), 401)
  for (const from of [{ address: OFFICE, cookie }, { address: HOME }]) {
    assert.equal(await status(people, from), 429, 'no longer known')
  }
})
