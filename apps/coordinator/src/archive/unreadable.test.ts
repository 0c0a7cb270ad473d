// Goal: what was discarded or taken down cannot be read in any way that captures are read. Method: a page that is
// found in every such way before, and in none after, though the bytes of what was discarded stay in its WARC file.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { cdxjTimestamp } from '@minga/archive'
import { openArchive, type TestArchive } from '../../test/archive/archive-fixture.ts'

const URL_SAID = 'http://waste.test/page'
const TITLE = 'Unapalabrasecreta'
const WEB = { [URL_SAID]: { body: `<title>${TITLE}</title><p>${TITLE} que nadie lee` } }

interface Way {
  name: string
  path: string
  /** On the origin of the collection. */
  isReplay?: boolean
  range?: string
}

/** One after the other they are all that reads captures; `access.test.ts` has the list of routes. */
async function waysTo(archive: TestArchive, collectionId: number): Promise<Way[]> {
  const [capture] = await archive.station.captures(`?url=${encodeURIComponent(URL_SAID)}`)
  const { id, capturedAt, offset, length, file } = capture!
  const url = encodeURIComponent(URL_SAID)
  const at = cdxjTimestamp(capturedAt)
  const api = [
    `captures?url=${url}`,
    `captures/content?url=${url}`,
    `captures/content?url=${url}&form=raw`,
    `captures/record?url=${url}&at=${capturedAt}`,
    `captures/place?url=${url}`,
    `collections/${collectionId}/captures`,
    `archive/captures?url=${url}`,
    `archive/captures?collectionId=${collectionId}`,
    `archive/collections/${collectionId}/cdxj`,
    `archive/moment?url=${url}`,
    `archive/search?q=waste.test&by=host`,
    `archive/text?q=${TITLE}`,
    `archive/versions/${collectionId}/1/documents`,
  ].map((path) => ({ name: path, path: `/api/${path}` }))
  const open = [
    `cdx?url=${url}`,
    `memento/${at}/${URL_SAID}`,
    `memento/timegate/${URL_SAID}`,
    `memento/timemap/link/${URL_SAID}`,
    `memento/timemap/json/${URL_SAID}`,
  ].map((path) => ({ name: path, path: `/${path}` }))
  const source = `/replay/sources/collection-${collectionId}/1-1-0`
  const range = `bytes=${offset}-${offset + length - 1}`
  const replay = [
    { path: `/raw/${at}/${URL_SAID}` },
    { path: `/view/${at}/${URL_SAID}` },
    { path: `/view/version/${collectionId}/1/${URL_SAID}` },
    { path: `${source}/index.cdxj` },
    { path: `${source}/r${id}.warc.gz`, range },
  ].map((way) => ({ ...way, name: way.path, isReplay: true }))
  const never = { name: 'its file', path: `${source}/${file}`, isReplay: true, range }
  assert.equal(await isReadable(archive, collectionId, never), false, never.name)
  return [...api, ...open, ...replay]
}

async function isReadable(
  { station }: TestArchive,
  collectionId: number,
  { path, isReplay = false, range }: Way,
): Promise<boolean> {
  const asked = isReplay ? station.replay : station.app
  const host = isReplay ? `c-${collectionId}.minga.localhost` : 'localhost'
  const fetched = { 'sec-fetch-dest': 'iframe', ...(range === undefined ? {} : { range }) }
  const answer = await asked.inject({ url: path, headers: { host, ...fetched } })
  if (answer.statusCode >= 400) return false
  const { rawPayload } = answer
  const isPacked = rawPayload[0] === 0x1f && rawPayload[1] === 0x8b
  const text = (isPacked ? gunzipSync(rawPayload) : rawPayload).toString('latin1')
  const said = text + JSON.stringify(answer.headers)
  return said.includes(TITLE) || said.includes('waste.test/page')
}

const REMOVALS = {
  discarded: (archive: TestArchive, id: number) =>
    archive.station.post(`/collections/${id}/discard`),
  'taken down': (archive: TestArchive) =>
    archive.station.post('/takedowns', { urls: [URL_SAID], versions: 'all', reason: 'asked for' }),
}

for (const [removed, remove] of Object.entries(REMOVALS)) {
  test(`what was ${removed} is not to be read in any way`, async () => {
    const archive = await openArchive({ playerFolder: '.' })
    const { id } = await archive.station.crawl({ seeds: [URL_SAID], scope: 'page' }, WEB)
    await archive.station.tick()
    await archive.station.texts.flush()
    const ways = await waysTo(archive, id)
    for (const way of ways) assert.equal(await isReadable(archive, id, way), true, way.name)
    const said = await remove(archive, id)
    assert.equal(said.status, 200, JSON.stringify(said.body))
    for (const way of ways) assert.equal(await isReadable(archive, id, way), false, way.name)
  })
}
