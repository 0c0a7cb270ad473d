// Goal: the commands of wikis do what others script against: dumps and wikis fill a store, and what it holds
// comes back exactly. Method: the real command line as processes, a generated dump and the fake wiki.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { gunzipSync, gzipSync } from 'node:zlib'
import {
  corpusSite,
  endAllProcesses,
  historyCorpus,
  startFakeWiki,
  startProcess,
  type WikiOperation,
} from '@minga/testkit'
import { pageUrlOf, writeDump } from '@minga/wiki'
import { MINGA, runMinga, type Ended } from '../../../test/commands/minga-fixture.ts'

const folder = await mkdtemp(path.join(tmpdir(), 'minga-wiki-'))
after(async () => {
  await endAllProcesses()
  await rm(folder, { recursive: true })
})

const WIKI = 'corpus.example'
const corpus = [...historyCorpus({ seed: 3, pages: 4, revisions: 60, rawBytes: 300_000 })]
const dump = path.join(folder, 'corpus.xml.gz')
const xml = await dumpOf()
await writeFile(dump, gzipSync(xml))
const data = path.join(folder, 'data')
const [first] = corpus
const { title, pageId } = first!.page
const newest = [...first!.revisions()].toSorted((a, b) => b.at - a.at || b.revId - a.revId)

async function dumpOf(): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  const pages = corpus.map(({ page, revisions }) => ({ page, revisions: revisions() }))
  const attribution = { source: 'a generated corpus', at: 0, licence: null }
  for await (const piece of writeDump({ site: corpusSite(), pages, attribution })) {
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

/** The day of an export stands in its head. */
const undated = (text: string): string => text.replace(/<!-- .* -->/, '')

const wiki = (...args: string[]): Promise<Ended> => runMinga(['wiki', ...args, '--data', data])

const STATS_FIELDS = ['wiki', 'pages', 'revisions', 'rawBytes', 'storedBytes', 'gaps']

interface Line {
  revid: number
  timestamp: string
  sha1: string
}

const linesIn = (text: string): Line[] =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line)

test('an imported dump is counted, read and exported exactly, and imported once', async () => {
  const imported = await wiki('import', dump, '--json')
  assert.equal(imported.code, 0, imported.err)
  const { pages, revisions, rejects } = JSON.parse(imported.out) as Record<string, unknown>
  assert.deepEqual({ pages, revisions, rejects }, { pages: 4, revisions: 60, rejects: {} })
  const again = await wiki('import', dump)
  assert.match(again.err, /was imported before/)

  const stats = JSON.parse((await wiki('stats', '--json')).out) as { wikis: object[] }
  const [only] = stats.wikis as Record<string, number>[]
  assert.equal(stats.wikis.length, 1)
  assert.deepEqual(Object.keys(only!), STATS_FIELDS)
  assert.deepEqual([only!['wiki'], only!['pages'], only!['revisions']], [WIKI, 4, 60])
  assert.ok(only!['storedBytes']! < only!['rawBytes']! / 4)

  const history = linesIn((await wiki('history', WIKI, title, '--jsonl')).out)
  assert.deepEqual(
    history.map(({ revid }) => revid),
    newest.map(({ revId }) => revId),
  )
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [MINGA, 'wiki', 'text', WIKI, String(history[0]!.revid), '--data', data],
    { encoding: 'buffer' },
  )
  assert.equal(createHash('sha1').update(stdout).digest('hex'), history[0]!.sha1)

  const out = path.join(folder, 'out.xml')
  assert.equal((await wiki('export', WIKI, '--out', out)).code, 0)
  assert.equal(undated(await readFile(out, 'utf8')), undated(xml.toString()))
})

test('an export may be of some pages, of what is current, packed, and is there whole or not at all', async () => {
  const out = path.join(folder, 'one.xml.gz')
  const ended = await wiki('export', WIKI, '--pages', title, '--current', '--out', out, '--json')
  assert.equal(ended.code, 0, ended.err)
  const text = gunzipSync(await readFile(out)).toString()
  const ids = [...text.matchAll(/<id>(\d+)<\/id>/g)].map(([, id]) => Number(id))
  assert.deepEqual(ids.slice(0, 2), [pageId, newest[0]!.revId])
  assert.equal(text.match(/<revision>/g)?.length, 1)
  const refused = await wiki('export', WIKI, '--pages', 'Nowhere', '--out', `${out}.xml`)
  assert.equal(refused.code, 1)
  const left = await readdir(folder)
  assert.deepEqual(
    left.filter((name) => name.startsWith('one.')),
    ['one.xml.gz'],
  )
})

test('histories are cut by time and number, and either end may come first', async () => {
  const from = new Date(newest.at(-1)!.at).toISOString().slice(0, 19)
  const oldest = linesIn((await wiki('history', WIKI, title, '--jsonl', '--oldest-first')).out)
  assert.deepEqual(
    oldest.map(({ revid }) => revid),
    newest.map(({ revId }) => revId).toReversed(),
  )
  const limited = await wiki(
    'history',
    WIKI,
    title,
    '--jsonl',
    '--limit',
    '3',
    '--from',
    `${from}Z`,
  )
  assert.equal(linesIn(limited.out).length, 3)
  const early = await wiki('history', WIKI, title, '--jsonl', '--until', `${from}Z`)
  assert.deepEqual(
    linesIn(early.out).map(({ revid }) => revid),
    newest.filter(({ at }) => at <= newest.at(-1)!.at).map(({ revId }) => revId),
  )
})

test('a name that is not here is answered by those that are like it', async () => {
  const page = await wiki('history', WIKI, title.slice(0, -2))
  assert.equal(page.code, 1)
  assert.ok(page.err.includes(`similar are: ${title}`), page.err)
  const unknown = await wiki('text', 'corpus.exmple', '1')
  assert.match(unknown.err, /There is no wiki "corpus\.exmple" here.*corpus\.example/)
  const revision = await wiki('text', WIKI, '1')
  assert.deepEqual([revision.code, revision.out], [1, ''])
  assert.match(revision.err, /MINGA_NO_SUCH_REVISION/)
  const nowhere = await runMinga(['wiki', 'stats', '--data', path.join(folder, 'nowhere')])
  assert.equal(nowhere.code, 2)
})

test('words, authors, measures and questions of one’s own are answered', async () => {
  const [after_, before] = newest
  const pair = [String(before!.revId), String(after_!.revId)]
  const diff = JSON.parse((await wiki('diff', WIKI, ...pair, '--json')).out) as { tokens: object }
  assert.deepEqual(Object.keys(diff.tokens).toSorted(), ['added', 'moved', 'removed', 'same'])
  const { editors } = JSON.parse((await wiki('authors', WIKI, title, '--json')).out) as {
    editors: { share: number }[]
  }
  const shares = editors.reduce((sum, { share }) => sum + share, 0)
  assert.ok(Math.abs(shares - 1) < 1e-6, String(shares))
  const told = JSON.parse((await wiki('metrics', WIKI, title, '--json')).out) as object
  assert.equal((told as { revisions: number }).revisions, newest.length)
  const question = path.join(folder, 'question.json')
  await writeFile(question, JSON.stringify({ by: ['title'], measure: { n: { count: true } } }))
  const asked = await wiki('query', WIKI, question)
  assert.equal(asked.out.split('\n').filter(Boolean).length, 4, asked.err)
})

test('revisions, measures and answers are handed on as tables that say whose work they are', async () => {
  const csv = path.join(folder, 'one.csv.gz')
  const saved = await wiki('export', WIKI, '--as', 'csv', '--pages', title, '--out', csv)
  assert.equal(saved.code, 0, saved.err)
  const rows = gunzipSync(await readFile(csv))
    .toString()
    .split('\r\n')
  assert.match(rows[0]!, /^pageid,title,revid,.*,source,page_url,licence$/)
  const plain = await wiki('export', WIKI, '--as', 'jsonl', '--current')
  const lines = plain.out.trimEnd().split('\n')
  const current = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
  assert.equal(current.length, corpus.length)
  const ofPage = current.find((line) => line['title'] === title)!
  assert.deepEqual([ofPage['revid'], ofPage['source']], [newest[0]!.revId, corpusSite().base])
  assert.equal(ofPage['page_url'], pageUrlOf(corpusSite(), title))
  const bogus = await wiki('metrics', WIKI, title, '--only', 'bogus')
  assert.match(bogus.err, /^minga: [^\n]* only\.0: [^\n]*"hours"[^\n]*\(MINGA_BAD_MESSAGE\)\n$/)
  const hours = await wiki('metrics', WIKI, title, '--only', 'hours', '--csv')
  assert.equal(hours.out.split('\r\n').filter((line) => line.startsWith('hours,')).length, 24)
  const question = path.join(folder, 'table.json')
  await writeFile(question, JSON.stringify({ by: ['title'], limit: 2 }))
  const asked = await wiki('query', WIKI, question, '--csv')
  assert.match(asked.out, /^title,count,source,page_url,licence\r\n/)
  assert.match(asked.err, /there are more rows/)
})

test('damage is found at rest, and a truncated dump is kept as far as it reads', async () => {
  assert.equal((await wiki('verify')).code, 0)
  const own = path.join(folder, 'cut')
  const cut = path.join(folder, 'cut.xml')
  await writeFile(cut, xml.subarray(0, Math.floor(xml.length * 0.6)))
  const imported = await runMinga(['wiki', 'import', cut, '--data', own, '--json'])
  assert.equal(imported.code, 1)
  const { revisions, rejects } = JSON.parse(imported.out) as {
    revisions: number
    rejects: Record<string, number>
  }
  assert.ok(revisions > 10 && revisions < 60, String(revisions))
  assert.ok((rejects['truncated'] ?? 0) > 0, imported.out)
  assert.equal((await runMinga(['wiki', 'import', dump, '--data', own])).code, 0)
  const whole = await runMinga(['wiki', 'stats', '--json', '--data', own])
  assert.match(whole.out, /"revisions":60/)
  const files = await readdir(path.join(own, 'wiki'), { recursive: true })
  const pack = files.find((name) => name.endsWith('.pack'))!
  const bytes = await readFile(path.join(own, 'wiki', pack))
  bytes[Math.floor(bytes.length / 3)]! ^= 0xff
  await writeFile(path.join(own, 'wiki', pack), bytes)
  assert.equal((await runMinga(['wiki', 'verify', '--data', own])).code, 1)
})

test('a reader that goes away early is no error', async () => {
  const command = `"${process.execPath}" "${MINGA}" wiki export ${WIKI} --data "${data}"; echo "code $?" >&2`
  const { stdout, stderr } = await promisify(execFile)('sh', ['-c', `(${command}) | head -c 100`])
  assert.equal(stdout.length, 100)
  assert.equal(stderr.trim(), 'code 0')
})

const edits = (of: string, count: number): WikiOperation[] =>
  Array.from({ length: count }, (_, i) => ({ do: 'edit', title: of, text: `${of} ${i}` }))

test('pages of a wiki are extracted, missing ones are listed, and a station is asked where one runs', async (t) => {
  const fake = await startFakeWiki({ history: [...edits('Cat', 60), ...edits('Dog', 3)] })
  t.after(() => fake.close())
  const own = path.join(folder, 'extracted')
  const add = (...args: string[]): Promise<Ended> =>
    runMinga(['wiki', 'add', ...args, '--data', own, '--allow-private-addresses'])
  const nothing = await add(fake.apiUrl)
  assert.equal(nothing.code, 2)
  assert.match(nothing.err, /--pages .*--category .*--all/s)
  const added = await add(fake.apiUrl, '--pages', 'Cat|Nobody', '--wait', '--delay', '0', '--json')
  assert.equal(added.code, 1, added.err)
  const { revisions, missing } = JSON.parse(added.out) as { revisions: number; missing: string[] }
  assert.deepEqual([revisions, missing], [60, ['Nobody']])
  const page = await add(`${fake.url}/wiki/Dog`, '--wait', '--delay', '0')
  assert.equal(page.code, 0, page.err)

  const up = ['up', '--data', own, '--port', '0', '--allow-private-addresses', '--no-agent']
  const station = await startProcess(process.execPath, [MINGA, ...up])
  await station.waitOutput(/is up at/, 60_000)
  const name = new URL(fake.url).host
  const stats = await runMinga(['wiki', 'stats', '--json', '--data', own])
  assert.match(stats.out, /"pages":2,"revisions":63/)
  const text = await runMinga(['wiki', 'history', name, 'Dog', '--jsonl', '--data', own])
  assert.equal(linesIn(text.out).length, 3)
  const imported = await runMinga(['wiki', 'import', dump, '--data', own])
  assert.equal(imported.code, 0, imported.err)
  const exported = await runMinga(['wiki', 'export', WIKI, '--data', own])
  assert.equal(undated(exported.out), undated(xml.toString()))
  const left = await add(fake.apiUrl, '--namespace', '0')
  assert.equal(left.code, 0, left.err)
  const tasks = await runMinga(['wiki', 'tasks', '--json', '--data', own])
  const { tasks: told } = JSON.parse(tasks.out) as { tasks: { id: number; state: string }[] }
  const cancelled = await runMinga(['wiki', 'tasks', 'cancel', String(told[0]!.id), '--data', own])
  assert.match(cancelled.out, /cancelled/)
  station.signal('SIGINT')
  assert.equal((await station.waitExit(60_000)).code, 0)
})

test('a bot’s password comes from a file, together with its name, for an api.php', async () => {
  const secret = path.join(folder, 'secret.txt')
  await writeFile(secret, 'never-shown\n')
  const api = 'https://wiki.example/w/api.php'
  const named = ['--bot', 'Ana@minga', '--bot-password-file', secret]
  for (const [address, options, sentence] of [
    [api, ['--bot', 'Ana@minga'], /--bot-password-file/],
    [api, ['--bot-password-file', secret], /User@bot/],
    [api, ['--bot', 'Ana', '--bot-password-file', secret], /User@bot/],
    ['https://wiki.example/wiki/Cat', named, /api\.php/],
  ] as const) {
    const ended = await wiki('add', address, '--all', ...options)
    assert.equal(ended.code, 2)
    assert.match(ended.err, sentence)
    assert.ok(!ended.err.includes('never-shown'))
  }
})
