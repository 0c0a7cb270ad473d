// Goal: whatever a wiki answers, an extraction ends, and the store is complete or says what is missing.
// Method: `minga wiki add --wait` as a process against a fake wiki that fails in every way it knows, one
// after the other; judged by the export of an extraction that met no trouble.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, describe, test, type TestContext } from 'node:test'
import { startFakeWiki, type FakeWiki, type WikiFault, type WikiOperation } from '@minga/testkit'
import { mingaOutput, runMinga, type Ended } from './run-minga.ts'

const LONG = process.env['MINGA_LONG'] === '1'
const TITLES = ['Llama', 'Alpaca', 'Vicuna', 'Guanaco']
const REVISIONS = 24
/** Eight answers for each page. */
const LIMITS = { text: 3, list: 50 }

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'minga-wiki-faults-'))
after(() => fs.rmSync(folder, { recursive: true, force: true }))

function edits(title: string, from: number, count: number): WikiOperation[] {
  return Array.from({ length: count }, (_, i) => {
    return { do: 'edit', title, text: `${title} ${from + i}`, comment: `edit ${from + i}` }
  })
}

async function newWiki(t: TestContext): Promise<FakeWiki> {
  const history = TITLES.flatMap((title) => edits(title, 0, REVISIONS))
  const wiki = await startFakeWiki({ history, limits: LIMITS })
  t.after(() => wiki.close())
  return wiki
}

const runAdd = (wiki: FakeWiki, data: string): Promise<Ended> => {
  const what = ['--pages', TITLES.join('|'), '--delay', '0', '--data', data]
  return runMinga(
    'wiki',
    'add',
    wiki.apiUrl,
    ...what,
    '--wait',
    '--json',
    '--allow-private-addresses',
  )
}

async function exportOf(wiki: FakeWiki, data: string): Promise<string> {
  const xml = await mingaOutput('wiki', 'export', new URL(wiki.url).host, '--data', data)
  return xml.replace(/<siteinfo>.*<\/siteinfo>/s, '')
}

/** What an extraction without errors leaves, of a wiki whose history did not change. */
let calmExport: Promise<string> | undefined

async function exportCalmly(wiki: FakeWiki): Promise<string> {
  const calm = fs.mkdtempSync(path.join(folder, 'calm-'))
  assert.equal((await runAdd(wiki, calm)).code, 0)
  return exportOf(wiki, calm)
}

/** In the address of every request for a portion of a history. */
const OF_HISTORY = 'rvdir=newer'

/** Which are met one after the other in one extraction. */
const PASSING: Record<string, WikiFault[]> = {
  'a lagging database and requests to stay away': [
    { kind: 'lag', seconds: 7, retryAfter: 1 },
    { kind: 'status', status: 429, retryAfter: 1 },
    { kind: 'status', status: 503, retryAfter: 1 },
  ],
  'connections that break': [
    { kind: 'cut', bytes: 200 },
    { kind: 'reset' },
    { kind: 'slow', ms: 1_500 },
  ],
  'edits, a move and new namespaces meanwhile, and a revision that was left out once': [
    { kind: 'operations', perform: edits('Guanaco', REVISIONS, 2) },
    { kind: 'operations', perform: [{ do: 'move', title: 'Vicuna', to: 'Wild vicuna' }] },
    { kind: 'namespaces', names: { 4: 'Renamed project' } },
    { kind: 'lose', revids: [30] },
  ],
}

/** After which a program stays away for a minute, because the wiki does not say how long. */
const LENGTHY: Record<string, WikiFault> = {
  'too many requests, said in an answer': { kind: 'error', code: 'ratelimited' },
  'a read-only wiki': { kind: 'error', code: 'readonly' },
  'an error inside the wiki': { kind: 'error', code: 'internal_api_error_DBQueryError' },
  'a page in place of an answer': { kind: 'html' },
  'an empty answer': { kind: 'body', body: '' },
  'an answer of another shape': { kind: 'body', body: '{"query": {"pages": 5}}' },
}
/** Almost the last of thirty-two: afterwards the pauses become shorter only with every answer. */
const LATE = 31

describe('an extraction is complete after', { concurrency: true }, () => {
  for (const [name, faults] of Object.entries(PASSING)) {
    const all = faults.map((fault, n) => ({ ...fault, match: OF_HISTORY, from: 3 + 6 * n }))
    test(name, (t) => endsComplete(t, all))
  }
  const skip = !LONG && 'only with MINGA_LONG=1: it takes a minute'
  for (const [name, fault] of Object.entries(LENGTHY)) {
    test(name, { skip }, (t) => endsComplete(t, [{ ...fault, match: OF_HISTORY, from: LATE }]))
  }
})

async function endsComplete(t: TestContext, faults: WikiFault[]): Promise<void> {
  const wiki = await newWiki(t)
  wiki.fail(...faults)
  const troubled = fs.mkdtempSync(path.join(folder, 'troubled-'))
  const ended = await runAdd(wiki, troubled)
  assert.equal(ended.code, 0, `${ended.stdout.toString()}${ended.stderr}`)
  const told = JSON.parse(ended.stdout.toString()) as { state: string; failures: unknown[] }
  assert.deepEqual([told.state, told.failures], ['done', []])
  const asked = wiki.hits().filter(({ url }) => url.includes(OF_HISTORY))
  assert.ok(asked.length >= (faults.at(-1)?.from ?? 0), 'all of them were met')
  // What was moved after it had been read has its new title by an update alone.
  const isEdited = faults.some(({ kind }) => kind === 'operations')
  if (isEdited) {
    await mingaOutput('wiki', 'update', '--data', troubled, '--wait', '--allow-private-addresses')
  }
  const calm = isEdited ? exportCalmly(wiki) : (calmExport ??= exportCalmly(wiki))
  assert.equal(await exportOf(wiki, troubled), await calm)
  const checked = await runMinga('wiki', 'verify', '--data', troubled)
  assert.match(checked.stdout.toString(), /, 0 damaged, 0 gaps /)
}

test('a history whose continuation loops is completed by its list of numbers', async (t) => {
  const wiki = await newWiki(t)
  // Page 1 is the main page.
  wiki.fail({ kind: 'loop', match: `pageids=2&.*${OF_HISTORY}`, times: null })
  const data = path.join(folder, 'looping')
  const ended = await runAdd(wiki, data)
  assert.equal(ended.code, 1, 'and it is said')
  const told = JSON.parse(ended.stdout.toString()) as { failures: { code: string }[] }
  assert.deepEqual([...new Set(told.failures.map(({ code }) => code))], ['MINGA_WIKI_LOOP'])
  assert.deepEqual(await totals(data), { revisions: REVISIONS * TITLES.length, gaps: 0 })
})

test('a revision that a wiki never gives is named as a gap, and everything else is kept', async (t) => {
  const wiki = await newWiki(t)
  const lost = 10
  wiki.fail({ kind: 'lose', revids: [lost], times: null })
  const data = path.join(folder, 'losing')
  const added = await runAdd(wiki, data)
  const { revisions, gaps } = await totals(data)
  assert.equal(revisions, REVISIONS * TITLES.length - 1)
  assert.ok(gaps > 0)
  const told = JSON.parse(added.stdout.toString()) as { gaps: number }
  assert.equal(told.gaps, gaps, 'a client that waits for it receives it')
  const checked = await runMinga('wiki', 'verify', '--data', data)
  assert.match(checked.stdout.toString(), new RegExp(`revision ${lost}\\b`))
})

async function totals(data: string): Promise<{ revisions: number; gaps: number }> {
  const told = JSON.parse(await mingaOutput('wiki', 'stats', '--data', data, '--json')) as {
    wikis: { revisions: number; gaps: number }[]
  }
  const { revisions, gaps } = told.wikis[0]!
  return { revisions, gaps }
}
