// Goal: the API does what it is asked by those who may, and says precisely what is wrong otherwise.
// Method: the whole server over a real store, asked as programs and the page ask it.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { CaptureRow, CollectionStatus, HostStatus } from '@minga/protocol'
import { ENGINES } from '../../../packages/store/test/contract-engines.ts'
import { assertRefused, openStation, TOKENS } from '../test/station-fixture.ts'

const station = await openStation()

test('reading is free, writing needs a caller with the right to do so', async () => {
  const writes: [url: string, what: RegExp][] = [
    ['/collections', /^Starting and changing collections needs a login/],
    ['/collections/1/pause', /^Starting and changing collections needs a login/],
    ['/collections/1/cancel', /^Starting and changing collections needs a login/],
    ['/archive/index', /^Writing the archive's index needs a login/],
    ['/archive/import', /^Importing a file needs a login/],
    ['/wikis/imports', /^Importing a file needs a login/],
  ]
  for (const [url, what] of writes) {
    for (const authorization of ['', `Bearer ${TOKENS.joinToken}`]) {
      const headers = { authorization }
      const said = await station.inject({ method: 'POST', url: `/api${url}`, headers, payload: {} })
      assertRefused(said, '401 MINGA_NOT_ALLOWED', what)
    }
  }
  assert.deepEqual(await station.get('/collections'), { status: 200, body: [] })
})

test('a request under a foreign name or from a foreign page is refused before anything else', async () => {
  const url = '/api/collections'
  const rebound = await station.inject({ url, headers: { host: 'evil.test' } })
  assertRefused(rebound, '401 MINGA_NOT_ALLOWED', /not have the name "evil\.test"/)
  const headers = { origin: 'http://evil.test', authorization: `Bearer ${TOKENS.apiKey}` }
  const foreign = await station.inject({ method: 'POST', url, headers, payload: {} })
  assertRefused(foreign, '401 MINGA_NOT_ALLOWED', /A page of "http:\/\/evil\.test" may not/)
})

test('a collection is refused for its seeds and its patterns with the reason', async () => {
  const bad: [request: object, code: string, sentence: RegExp][] = [
    [{ seeds: ['ftp://a.test/'] }, '400 MINGA_BAD_SEED', /"ftp:\/\/a\.test\/" is not an http/],
    [{ seeds: ['a.test'] }, '400 MINGA_BAD_SEED', /Write it in full/],
    [{ seeds: ['http://a.test/'], include: ['('] }, '400 MINGA_BAD_PATTERN', /\(/],
    [{ seeds: ['http://a.test/'], exclude: ['(a+)+$'] }, '400 MINGA_BAD_PATTERN', /\(a\+\)\+\$/],
    [{ seeds: ['http://a.test/'], exclude: ['a{300}'] }, '400 MINGA_BAD_PATTERN', /300 places/],
    [
      { seeds: ['http://a.test/'], include: Array.from({ length: 51 }, (_, i) => `/${i}`) },
      '400 MINGA_TOO_MANY_PATTERNS',
      /51 include patterns, and at most 50/,
    ],
    [{ seeds: 'http://a.test/' }, '400 MINGA_BAD_MESSAGE', /seeds: /],
    [{ seeds: ['http://a.test/'], delayMs: 0.5 }, '400 MINGA_BAD_MESSAGE', /delayMs: /],
  ]
  for (const [request, code, sentence] of bad) {
    assertRefused(await station.post('/collections', request), code, sentence)
  }
  assert.deepEqual((await station.get('/collections')).body, [])
})

test('numbers of collections and limits of lists are checked', async () => {
  const bad: [url: string, code: string, sentence: RegExp][] = [
    ['/collections/99', '404 MINGA_NO_SUCH_COLLECTION', /99/],
    ['/collections/one', '400 MINGA_BAD_MESSAGE', /id: /],
    ['/collections/1.5', '400 MINGA_BAD_MESSAGE', /id: /],
    ['/collections/1e300', '400 MINGA_BAD_MESSAGE', /id: /],
    ['/captures?limit=0', '400 MINGA_BAD_MESSAGE', /limit: /],
    ['/captures?limit=10001', '400 MINGA_BAD_MESSAGE', /limit: /],
    ['/captures?newest=perhaps', '400 MINGA_BAD_MESSAGE', /newest: /],
    ['/captures/content', '400 MINGA_BAD_MESSAGE', /url: /],
    ['/captures/content?url=http://a.test/&form=pdf', '400 MINGA_BAD_MESSAGE', /form: /],
    ['/captures/place?url=http://a.test/&at=noon', '400 MINGA_BAD_MESSAGE', /at: /],
    ['/captures/place?url=http://a.test/&at=1.5', '400 MINGA_BAD_MESSAGE', /at: /],
    ['/captures/place?url=http://a.test/', '404 MINGA_NO_SUCH_CAPTURE', /archive list/],
  ]
  for (const [url, code, sentence] of bad) assertRefused(await station.get(url), code, sentence)
  const missing = await station.post('/collections/99/pause')
  assertRefused(missing, '404 MINGA_NO_SUCH_COLLECTION', /99/)
})

for (const engine of ENGINES) {
  describe(`The API on ${engine.name}`, { skip: engine.skip }, async () => {
    const own = await openStation({ engine })

    test('opens, pauses, resumes, continues and cancels a collection', async () => {
      const request = { seeds: ['http://a.test/', 'http://a.test/#top', 'http://b.test/'] }
      const { id, ...opened } = await own.collect(request)
      assert.deepEqual([opened.state, opened.found, opened.queued], ['running', 2, 2])
      assert.equal(opened.spec.delayMs, 1_000)

      const turn = async (verb: string): Promise<unknown[]> => {
        const { body } = await own.post(`/collections/${id}/${verb}`)
        const { state, reason, queued } = body as CollectionStatus
        return [state, reason, queued]
      }
      assert.deepEqual(await turn('pause'), ['paused', 'asked', 2])
      assert.deepEqual(await turn('resume'), ['running', null, 2])
      const again = await own.collect({
        seeds: request.seeds.toReversed(),
        maxPages: 7,
        existing: 'change',
      })
      assert.deepEqual([again.id, again.found, again.spec.maxPages], [id, 2, 7])
      assert.deepEqual(await turn('cancel'), ['cancelled', 'asked', 0])
      const { body } = await own.get(`/collections/${id}`)
      assert.equal((body as CollectionStatus).cancelled, 2)
    })

    test('shows hosts, captures and facts of what was crawled', async () => {
      const { id } = await own.crawl(
        { seeds: ['http://shown.test/', 'http://other.test/'] },
        { 'http://shown.test/': { body: '<title>A</title>' } },
      )
      const hosts = (await own.get(`/collections/${id}/hosts`)).body as HostStatus[]
      assert.deepEqual(
        hosts.map(({ name, isOut, delayMs, queued, pages }) => ({
          name,
          isOut,
          delayMs,
          queued,
          pages,
        })),
        [
          { name: 'shown.test', isOut: false, delayMs: 0, queued: 0, pages: 1 },
          { name: 'other.test', isOut: false, delayMs: 0, queued: 0, pages: 0 },
        ],
      )
      const rows = await own.captures('?newest=true&limit=2')
      assert.deepEqual(
        rows.map(({ collectionId }) => collectionId),
        [id, id],
      )
      const [page] = (await own.captures('?url=http://shown.test/')) as [CaptureRow]
      assert.deepEqual([page.title, page.status, page.mime], ['A', 200, 'text/html'])
      assert.deepEqual(await own.captures(`?collectionId=${id + 1}`), [])
      const facts = (await own.get('/archive/facts')).body as { captures: number; files: object[] }
      assert.deepEqual([facts.captures, facts.files.length], [4, 1])
    })
  })
}
