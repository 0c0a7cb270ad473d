// Goal: an extraction is begun at once, can be followed, changed and begun again, by those who may. Method: a station on
// virtual time and a fake wiki; everything is asked over HTTP.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { startFakeWiki, type FakeWiki, type WikiOperation } from '@minga/testkit'
import { openPeople, PASSWORD } from '../../../test/accounts/people-fixture.ts'
import { assertRefused, type TestStation } from '../../../test/station-fixture.ts'
import {
  fetchBlock,
  nextBlock,
  openWikiStation,
  pass,
  untilOver,
} from '../../../test/wiki/wiki-fixture.ts'
import { rowsOf, v1, type V1Said } from '../../../test/wiki/v1/v1-fixture.ts'

type Facts = Record<string, unknown>

const edits = (title: string, count: number): WikiOperation[] =>
  Array.from({ length: count }, (_, index) => ({
    do: 'edit',
    title,
    text: `${title} ${index}`,
    at: new Date(Date.UTC(2020, 0, 1, index)).toISOString().replace('.000', ''),
  }))

async function stationWith(t: TestContext, history: WikiOperation[]) {
  const wiki = await startFakeWiki({ history })
  t.after(() => wiki.close())
  const flags = { wikiDefault: `${wiki.url}/wiki/Main_Page`, wikiLocale: 'en', delayMs: 0 }
  return { wiki, station: await openWikiStation({ flags }) }
}

function idIn({ status, body, headers, text }: V1Said): number {
  assert.equal(status, 202, text)
  const { Location } = body as { Location: string }
  assert.equal(headers['location'], Location)
  assert.match(Location, /^http:\/\/localhost\/api\/v1\/status\/\d+$/)
  return Number(Location.split('/').at(-1))
}

async function statusOf(station: TestStation, id: number): Promise<Facts> {
  return (await v1(station, `/status/${id}`)).body as Facts
}

/** The extraction of a page, however it is asked for. */
async function extracted(station: TestStation, said: V1Said): Promise<Facts> {
  const id = idIn(said)
  for (let round = 0; round < 50; round++) {
    await pass(station, 2_000)
    const block = await nextBlock(station)
    if (block !== null) await station.send(await fetchBlock(station, block))
    const now = await statusOf(station, id)
    if (now['ended'] !== null) return now
  }
  throw new Error('the extraction does not end')
}

const pageOf = (wiki: FakeWiki, title: string): string => `${wiki.url}/wiki/${title}`

test('Async task + progress: 202 at once, states advance, the result says how much came', async (t) => {
  const { wiki, station } = await stationWith(t, edits('Llama', 120))
  const url = encodeURIComponent(pageOf(wiki, 'Llama'))
  const id = idIn(await v1(station, `/extract?url=${url}`))
  assert.equal(wiki.hits().length, 0)
  const states: unknown[] = []
  const counts: number[] = []
  for (let round = 0; round < 50; round++) {
    const { state, status: sentence, progress, ended } = await statusOf(station, id)
    states.push(state)
    counts.push((progress as { revisions: number }).revisions)
    if (state === 'IN PROGRESS') assert.equal(sentence, `${counts.at(-1)} revisions extracted`)
    if (ended !== null) break
    await pass(station, 2_000)
    const block = await nextBlock(station)
    if (block !== null) await station.send(await fetchBlock(station, block))
  }
  assert.deepEqual([...new Set(states)], ['IN PROGRESS', 'SUCCESS'])
  assert.deepEqual(
    counts,
    counts.toSorted((a, b) => a - b),
  )
  assert.ok(new Set(counts).size >= 3, 'progress is reported on the way')
  const { result, status: sentence } = await statusOf(station, id)
  assert.deepEqual(result, { revisions: 120, pages: 1, missing: [], failed: 0 })
  assert.equal(sentence, 'Task completed!')
  const [article] = await rowsOf(station, '/articles')
  assert.deepEqual([article!['title'], article!['revisions']], ['Llama', 120])
})

test('Async task + progress: unknown ids are 404, and nothing to extract is a clear 400', async (t) => {
  const { station } = await stationWith(t, edits('Llama', 1))
  for (const id of ['77', 'b5c1', '%20']) {
    const said = await v1(station, `/status/${id}`)
    assertRefused(said, '404 MINGA_NO_SUCH_WIKI_TASK', /no task/)
  }
  const nothing = await v1(station, '/extract')
  assertRefused(nothing, '400 MINGA_BAD_MESSAGE', /title of a page, its url or its pageid/)
  const odd = { method: 'POST', payload: { title: 'Llama', colour: 'red' } } as const
  const accepted = await v1(station, '/extract?depth=3', odd)
  assert.equal(accepted.headers['x-ignored-parameters'], 'depth, colour')
  const both = await v1(station, '/extract?title=Llama&url=https://wiki.example/wiki/Llama')
  assertRefused(both, '400 MINGA_BAD_MESSAGE', /either a title or a url/)
})

test('Extract by title/url/locale: over HTTP by title, by address, by number and from a wiki that is kept', async (t) => {
  const { wiki, station } = await stationWith(t, [...edits('Llama', 3), ...edits('Alpaca', 2)])
  const byTitle = await extracted(station, await v1(station, '/extract?title=Llama&locale=en'))
  assert.deepEqual([byTitle['state'], byTitle['error']], ['SUCCESS', null])
  const payload = { url: pageOf(wiki, 'Alpaca') }
  const byUrl = await extracted(station, await v1(station, '/extract', { method: 'POST', payload }))
  assert.equal((byUrl['result'] as Facts)['revisions'], 2)
  const articles = await rowsOf(station, '/articles?sort=title&project=title,pageid,revisions,wiki')
  assert.deepEqual(
    articles.map(({ title, revisions }) => [title, revisions]),
    [
      ['Alpaca', 2],
      ['Llama', 3],
    ],
  )
  wiki.perform([{ do: 'edit', title: 'Llama', text: 'new', at: '2021-01-01T00:00:00Z' }])
  const { pageid, wiki: key } = articles[1]!
  const asked = `/extract?pageid=${String(pageid)}&wiki=${encodeURIComponent(String(key))}`
  await extracted(station, await v1(station, asked))
  const [llama] = await rowsOf(station, '/articles?title=Llama')
  assert.equal(llama!['revisions'], 4)
})

test('Monitoring: cancel, retry, list tasks', async (t) => {
  const { wiki, station } = await stationWith(t, edits('Llama', 3))
  const payload = { url: pageOf(wiki, 'Llama') }
  const id = idIn(await v1(station, '/extract', { method: 'POST', payload }))
  const [listed] = await rowsOf(station, '/tasks')
  assert.deepEqual(
    [listed!['id'], listed!['kind'], listed!['state'], listed!['attempts']],
    [id, 'extract', 'IN PROGRESS', 1],
  )
  assert.equal((listed!['arguments'] as Facts)['url'], payload.url)
  assert.equal(listed!['created'], new Date(station.clock.now()).toISOString())
  const post = (verb: string) => v1(station, `/tasks/${id}/${verb}`, { method: 'POST' })
  assert.equal(((await post('cancel')).body as Facts)['state'], 'CANCELLED')
  assert.equal((await statusOf(station, id))['status'], 'Cancelled.')
  assert.deepEqual(await rowsOf(station, '/tasks?state=running'), [])
  assert.equal((await rowsOf(station, '/tasks?state=cancelled')).length, 1)
  assert.equal(((await post('retry')).body as Facts)['attempts'], 2)
  const task = await untilOver(station, id)
  assert.deepEqual([task.state, task.progress.revisions], ['done', 3])
  assertRefused(
    await v1(station, '/tasks/99/cancel', { method: 'POST' }),
    '404 MINGA_NO_SUCH_WIKI_TASK',
    /no task 99/,
  )
})

test('Monitoring: the turn and the limits of a task are changed, and what is not named stays', async (t) => {
  const { wiki, station } = await stationWith(t, [...edits('Llama', 2), ...edits('Alpaca', 2)])
  for (const title of ['Llama', 'Alpaca']) {
    await v1(station, '/extract', { method: 'POST', payload: { url: pageOf(wiki, title) } })
  }
  const [second, first] = await rowsOf(station, '/tasks')
  assert.deepEqual([first!['state'], second!['state']], ['IN PROGRESS', 'PENDING'])
  const change = (payload: object) =>
    v1(station, `/tasks/${String(second!['id'])}`, { method: 'PATCH', payload })
  const reordered = (await change({ priority: 5 })).body as Facts
  assert.equal(reordered['priority'], 5)
  await change({ limits: { maxRequests: 9, delayMs: 500 } })
  const { limits } = (await change({ limits: { inFlight: 2 } })).body as { limits: Facts }
  assert.deepEqual([limits['maxRequests'], limits['delayMs'], limits['inFlight']], [9, 500, 2])
  assertRefused(await change({ limits: { inFlight: 9 } }), '400 MINGA_BAD_MESSAGE', /inFlight/)
})

test('tasks are listed part by part', async (t) => {
  const { wiki, station } = await stationWith(t, edits('Llama', 1))
  for (const title of ['A', 'B', 'C']) {
    await v1(station, '/extract', { method: 'POST', payload: { url: pageOf(wiki, title) } })
  }
  const { body, headers } = await v1(station, '/tasks?page_size=2')
  const ids = (body as Facts[]).map(({ id }) => Number(id))
  const rest = await rowsOf(
    station,
    `/tasks?page_size=2&cursor=${String(headers['x-next-cursor'])}`,
  )
  assert.deepEqual(
    [...ids, ...rest.map(({ id }) => Number(id))],
    [ids[0]!, ids[0]! - 1, ids[0]! - 2],
  )
})

test('extracting and changing tasks needs the right to collect, and a task is changed by its owner', async () => {
  const people = await openPeople()
  const { token: reader } = await people.person('reading', 'reader')
  const { token: first } = await people.person('collecting', 'collector')
  const { token: second } = await people.person('collecting-too', 'collector')
  const path = '/v1/extract?url=https://wiki.example/wiki/Llama'
  assert.equal(await people.outcome(null, 'GET', path), '401 MINGA_NOT_ALLOWED')
  assert.equal(await people.outcome(reader, 'GET', path), '403 MINGA_FORBIDDEN')
  assert.equal((await people.call(first, 'GET', path)).status, 202)
  const cancel = (token: string) => people.outcome(token, 'POST', '/v1/tasks/1/cancel')
  assert.equal(await cancel(reader), '403 MINGA_FORBIDDEN')
  assert.equal(await cancel(second), '404 MINGA_NO_SUCH_WIKI_TASK')
  assert.equal(await cancel(first), '200')
  assert.equal(await people.outcome(reader, 'GET', '/v1/status/1'), '200')
  assert.equal(await people.outcome(null, 'GET', '/v1/count'), '200')
  const later = await people.outcome(null, 'GET', '/v1/count?background=true')
  assert.equal(later, '401 MINGA_NOT_ALLOWED')
})

test('a page elsewhere cannot make the browser of a logged-in user extract', async () => {
  const people = await openPeople()
  await people.account('browsing', ['collector'])
  const origin = 'http://localhost'
  const response = await people.station.app.inject({
    method: 'POST',
    url: '/api/sessions',
    headers: { host: 'localhost', origin },
    payload: { name: 'browsing', password: PASSWORD },
  })
  const cookie = String(response.headers['set-cookie']).split(';', 1)[0]!
  const path = '/v1/extract?url=https://wiki.example/wiki/Llama'
  const shown = { cookie, 'x-minga-token': response.json<{ pageToken: string }>().pageToken }
  assert.equal(await people.outcome(shown, 'GET', path), '401 MINGA_NOT_ALLOWED')
  assert.equal(await people.outcome(shown, 'POST', path), '401 MINGA_NOT_ALLOWED')
  const headers = { host: 'localhost', ...shown }
  const head = await people.station.app.inject({ method: 'HEAD', url: `/api${path}`, headers })
  assert.equal(head.statusCode, 404)
  assert.equal((await people.call({ ...shown, origin }, 'POST', path)).status, 202)
  assert.equal((await rowsOf(people.station, '/tasks')).length, 1)
})

test('Daily schedule: the requests saved compared with the baseline rule are reported', async (t) => {
  const { wiki, station } = await stationWith(t, edits('Llama', 30))
  const payload = { url: pageOf(wiki, 'Llama') }
  await extracted(station, await v1(station, '/extract', { method: 'POST', payload }))
  await pass(station, 86_400_000)
  const reported = async () =>
    (await v1(station, '/schedule')).body as { wikis: { days: Facts[] }[]; total: Facts }
  const judged = ({ days }: { days: Facts[] }) => days.find((one) => one['ruleCalls'] !== null)
  // The day is evaluated in the background.
  for (let looks = 0; looks < 1_000; looks++) {
    const { wikis } = await reported()
    if (wikis.some(judged)) break
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const { wikis, total } = await reported()
  const day = judged(wikis[0]!)
  assert.equal(Number(day!['ruleCalls']) - Number(day!['calls']), day!['saved'])
  assert.equal(Number(total['ruleCalls']) - Number(total['calls']), total['saved'])
})
