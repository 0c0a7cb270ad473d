// Goal: what the station reads of a wiki with a password of its own is for the account that had it extracted, those it is
// shared with and operators. Method: a station and a wiki on loopback, and the walk through all reading routes.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { WikiTaskView } from '@minga/protocol'
import { startFakeWiki } from '@minga/testkit'
import { ENGINES } from '../../../../../packages/store/test/contract-engines.ts'
import { People } from '../../../test/accounts/people-fixture.ts'
import { TOKENS } from '../../../test/station-fixture.ts'
import { openWikiStation, untilOver } from '../../../test/wiki/wiki-fixture.ts'
import { walk } from '../../../test/accounts/visibility/route-walk-fixture.ts'

const MARKS = ['quipu-wool', 'Chakana page']
const LOG_IN = { user: 'Ana@minga', password: 'geheim-wie-nie' }

interface Stage {
  people: People
  wiki: string
  task: number
  ana: string
  eve: string
}

async function stage(t: TestContext, engine = ENGINES[0]!, isClosedFirst = true): Promise<Stage> {
  const history = [{ do: 'edit' as const, title: 'Chakana page', text: 'quipu-wool' }]
  const fake = await startFakeWiki({ history })
  t.after(() => fake.close())
  const station = await openWikiStation({ readOpenly: false, engine })
  const people = new People(station)
  const { token: ana } = await people.person('ana', 'collector', 'reader')
  const { token: eve } = await people.person('eve', 'collector', 'reader', 'client', 'volunteer')
  const path = `/wikis/${encodeURIComponent(fake.apiUrl)}/bot-password`
  const close = () => people.ok(TOKENS.apiKey, 'PUT', path, { logIn: LOG_IN })
  if (isClosedFirst) await close()
  const asked = { address: fake.apiUrl, pages: ['Chakana page'], delayMs: 0 }
  const { id } = (await people.call(ana, 'POST', '/wikis', asked)).body as WikiTaskView
  assert.equal((await untilOver(station, id)).state, 'done')
  if (!isClosedFirst) await close()
  const { wikis } = await people.ok<{ wikis: { wiki: string }[] }>(TOKENS.apiKey, 'GET', '/wikis')
  return { people, wiki: wikis[0]!.wiki, task: id, ana, eve }
}

async function telling(
  { people, wiki, task }: Stage,
  token: string,
  host = [wiki],
): Promise<string[]> {
  const headers = { authorization: `Bearer ${token}` }
  const pages = {
    title: 'Chakana page',
    page: '1',
    tokens: '1',
    revId: '1',
    before: '1',
    after: '2',
  }
  const values = { ...pages, wiki, id: String(task), search: 'Chakana', q: 'quipu', name: 'Ana' }
  const more = ['articles', 'revisions', 'tasks', 'schedule', 'count', `status/${task}`].map(
    (path) => `/api/v1/${path}`,
  )
  const found = await walk(people.station.app, { headers, values, more })
  const marks = (route: string): string[] =>
    route.includes('Chakana') ? [MARKS[0]!] : [...MARKS, ...host]
  return found
    .filter(({ route, text }) => {
      const isNamed = route.includes(encodeURIComponent(wiki))
      return marks(route).some((mark) => (isNamed && mark === wiki ? false : text.includes(mark)))
    })
    .map(({ route }) => route)
}

for (const engine of ENGINES) {
  const name = `a closed wiki is revealed by reading routes only to those who may read it (${engine.name})`
  test(name, { skip: engine.skip }, async (t) => {
    const all = await stage(t, engine)
    assert.deepEqual(await telling(all, all.eve), [])
    const own = await telling(all, all.ana)
    assert.ok(own.length > 12, `the owner finds it by ${own.length} routes: ${own.join(' ')}`)
  })
}

test('a wiki is closed with all that was known of it when a password comes, and shared by its owner', async (t) => {
  const all = await stage(t, ENGINES[0], false)
  const { people, wiki, ana, eve } = all
  const path = `/wikis/${encodeURIComponent(wiki)}`
  assert.equal(await people.outcome(eve, 'GET', path), '404 MINGA_NO_SUCH_WIKI')
  assert.deepEqual(await people.ok<unknown[]>(eve, 'GET', '/captures'), [])
  assert.equal(await people.outcome(eve, 'POST', `${path}/update`, {}), '404 MINGA_NO_SUCH_WIKI')
  assert.ok((await people.ok<unknown[]>(ana, 'GET', '/captures')).length > 0)
  await people.ok(ana, 'PATCH', `${path}/sharing`, { sharedWith: ['eve'] })
  assert.equal(await people.outcome(eve, 'GET', path), '200')
  const open = { visibility: 'shared' }
  assert.equal(await people.outcome(eve, 'PATCH', `${path}/sharing`, open), '403 MINGA_FORBIDDEN')
  await people.ok(TOKENS.apiKey, 'PATCH', `${path}/sharing`, { sharedWith: [] })
  const { account } = await people.ok<{ account: { id: string } }>(ana, 'GET', '/me')
  assert.deepEqual((await people.acts(wiki)).slice(-2), [
    ['wiki:sharing', account.id],
    ['wiki:sharing', 'operator'],
  ])
  assert.equal(await people.outcome(eve, 'GET', path), '404 MINGA_NO_SUCH_WIKI')
})

test('who asks a closed wiki for pages by the password of the station reads nothing of what comes', async (t) => {
  const all = await stage(t)
  const { people, wiki, eve } = all
  const asked = { pages: ['Chakana page'], delayMs: 0 }
  for (const address of [`http://${wiki}/w/api.php`, `http://${wiki}/wiki/Chakana_page`]) {
    const said = await people.call(eve, 'POST', '/wikis', { ...asked, address })
    assert.equal(said.status, 202)
    await untilOver(people.station, (said.body as WikiTaskView).id)
    assert.deepEqual(await people.ok<unknown[]>(eve, 'GET', '/captures'), [], address)
    assert.deepEqual(await telling(all, eve, []), [], address)
  }
})
