// Goal: what is handed on as a table has every revision that was asked for, with source, address and licence, in
// every form. Method: a dump imported into a folder, its routes asked, Parquet read back by DuckDB.
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { systemClock, type DumpImportView } from '@minga/protocol'
import { corpusSite, historyCorpus } from '@minga/testkit'
import { pageUrlOf, writeDump, type Revision } from '@minga/wiki'
import type { LightMyRequestResponse } from 'fastify'
import { openAsk } from '../../../../../packages/wiki/test/metrics/history-fixture.ts'
import { openWikiFolder, type WikiFolder } from './open-wiki-folder.ts'

const SITE = { ...corpusSite(), rights: { text: 'CC BY-SA 4.0', url: null } }
const CORPUS = [...historyCorpus({ seed: 8, pages: 5, revisions: 80, rawBytes: 80_000 })]
const REVISIONS = CORPUS.flatMap(({ revisions }) => [...revisions()])

interface Opened extends WikiFolder {
  folder: string
  ask: (path: string) => Promise<LightMyRequestResponse>
}

async function openFolder(t: TestContext): Promise<Opened> {
  const folder = await mkdtemp(join(tmpdir(), 'minga-histories-'))
  const pieces: Uint8Array[] = []
  const pages = CORPUS.map(({ page, revisions }) => ({ page, revisions: revisions() }))
  const attribution = { source: SITE.base, at: 0, licence: SITE.rights.text }
  for await (const piece of writeDump({ site: SITE, pages, attribution })) pieces.push(piece)
  const file = join(folder, 'dump.xml')
  await writeFile(file, Buffer.concat(pieces))
  const wikis = await openWikiFolder({ data: join(folder, 'data'), isWriting: true })
  t.after(async () => {
    await wikis.close()
    await rm(folder, { recursive: true })
  })
  const ask = (path: string) => wikis.app.inject({ url: `/api/wikis${path}` })
  const payload = { file }
  const begun = await wikis.app.inject({ method: 'POST', url: '/api/wikis/imports', payload })
  const { id } = begun.json<DumpImportView>()
  while ((await ask(`/imports/${id}`)).json<DumpImportView>().state === 'running') {
    await systemClock.sleep(20)
  }
  return { ...wikis, folder, ask }
}

const WIKI = new URL(SITE.base).host

const byNumber = (a: number, b: number): number => a - b

test('every revision is a row of CSV, JSON lines and Parquet, with its source and address', async (t) => {
  const { ask, folder } = await openFolder(t)
  const lines = (await ask(`/${WIKI}/export?as=jsonl`)).body.trimEnd().split('\n')
  const told = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
  const ids = told.map(({ revid }) => Number(revid))
  const idsOf = (revisions: readonly Revision[]) =>
    revisions.map(({ revId }) => revId).toSorted(byNumber)
  assert.deepEqual(ids.toSorted(byNumber), idsOf(REVISIONS))
  for (const { title, source, page_url: url } of told) {
    assert.deepEqual([source, url], [SITE.base, pageUrlOf(SITE, String(title))])
  }
  const csv = await ask(`/${WIKI}/export?as=csv`)
  assert.match(csv.headers['content-type'] as string, /^text\/csv/)
  assert.match(csv.body, /^pageid,title,revid,.*,source,page_url,licence\r\n/)

  const parquet = await ask(`/${WIKI}/export?as=parquet`)
  const file = join(folder, 'revisions.parquet')
  await writeFile(file, parquet.rawPayload)
  const { ask: read, connection } = await openAsk()
  const rows = await read(
    `SELECT revid::INTEGER AS revid, epoch_ms(timestamp)::DOUBLE AS at, sha1, page_url
     FROM read_parquet($1) ORDER BY revid`,
    [file],
  )
  const sortedTold = told.toSorted((a, b) => Number(a['revid']) - Number(b['revid']))
  const wanted = sortedTold.map(({ revid, timestamp, sha1, page_url: url }) => {
    return { revid, at: Date.parse(String(timestamp)), sha1, page_url: url }
  })
  assert.deepEqual(rows, wanted)
  connection.closeSync()
})

test('a table may be of some pages, of some time, of what is current; a page that is not here is said', async (t) => {
  const { ask } = await openFolder(t)
  const idsIn = async (query: string): Promise<number[]> => {
    const { body } = await ask(`/${WIKI}/export?as=jsonl&${query}`)
    const lines = body.split('\n').filter(Boolean)
    return lines.map((line) => (JSON.parse(line) as { revid: number }).revid).toSorted(byNumber)
  }
  // The first and the last: what lies between is not theirs.
  const [first, last] = [CORPUS[0]!, CORPUS.at(-1)!]
  const pages = encodeURIComponent(`${first.page.title}|${last.page.title}`)
  const ofBoth = [...first.revisions(), ...last.revisions()].map(({ revId }) => revId)
  assert.deepEqual(await idsIn(`pages=${pages}`), ofBoth.toSorted(byNumber))
  const times = REVISIONS.map(({ at }) => at).toSorted((a, b) => a - b)
  const [from, until] = [times[20]!, times[60]!]
  const between = REVISIONS.filter(({ at }) => at >= from && at < until)
  assert.deepEqual(
    await idsIn(`from=${from}&until=${until}`),
    between.map(({ revId }) => revId).toSorted(byNumber),
  )
  assert.equal((await idsIn('current=true')).length, CORPUS.length)
  const none = await ask(`/${WIKI}/export?as=parquet&from=${times.at(-1)! + 1}`)
  assert.equal(none.rawPayload.subarray(-4).toString(), 'PAR1')
  const missing = await ask(`/${WIKI}/export?as=parquet&pages=Nowhere`)
  assert.equal(missing.json<{ error: { code: string } }>().error.code, 'MINGA_NO_SUCH_WIKI_PAGE')
})

test('measures as a table: lists and figures are rows, and of one page each row has its address', async (t) => {
  const { ask } = await openFolder(t)
  const { title } = CORPUS[0]!.page
  const asked = `title=${encodeURIComponent(title)}&only=editors,gaps,reverts&as=csv`
  const rows = (await ask(`/${WIKI}/metrics?${asked}`)).body.trimEnd().split('\r\n')
  const head = rows[0]!.split(',')
  for (const name of ['measure', 'title', 'user', 'edits', 'ms.median', 'firstAt', 'licence']) {
    assert.ok(head.includes(name), `${name} in ${head.join()}`)
  }
  const measures = new Set(rows.slice(1).map((row) => row.split(',')[0]))
  assert.ok(measures.isSupersetOf(new Set(['revisions', 'editors', 'gaps', 'reverts'])))
  for (const row of rows.slice(1)) assert.ok(row.includes(pageUrlOf(SITE, title)!), row)
  assert.match(rows.join('\n'), /,\d{4}-\d\d-\d\dT[\d:.]+Z,/)
})
