// Goal: what an older program wrote opens with this one, on both databases, and nothing of it is lost or changed.
// Method: data folders that commit de9a8fd left are unpacked, opened by the command line and a real coordinator, and
// read by the API; former-data/README.md says how they were made.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { CaptureRow, CollectionStatus, VisitView, WatchView } from '@minga/protocol'
import { startCoordinator } from '../../apps/coordinator/src/start.ts'
import { ENGINES, temporaryFolder } from '../../packages/store/test/contract-engines.ts'
import { administer } from '../../packages/store/test/postgres-fixture.ts'
import { listCaptures, mingaOutput } from './run-minga.ts'

const SITE = 'http://127.0.64.1:8064'
const CAPTURES = [
  '404 /robots.txt',
  '200 /',
  '200 /bells',
  '200 /copy',
  '200 /notices',
  '200 /notices',
  '200 /notices',
]
const WHOLE_WIKI = { pages: 2, revisions: 3, gaps: [], damages: [] }
const BELLS = [
  ['Maria', 1451, 820],
  ['Osanna', 1488, 1450.5],
  ['Gloriosa', 1497, 11450],
]

function unpack(name: string): string {
  const data = temporaryFolder()
  const packed = join(import.meta.dirname, 'former-data', `${name}.tar.gz`)
  execFileSync('tar', ['-xzf', packed, '--no-same-owner', '-C', data])
  return data
}

/** Opens the folder with today's coordinator, which brings its tables up to date, and reads all that was put into it. */
async function assertWhole(data: string, postgresUrl?: string): Promise<void> {
  const { app, tokens, close } = await startCoordinator({
    data,
    listen: null,
    allowPrivateAddresses: false,
    ...(postgresUrl === undefined ? {} : { postgresUrl }),
  })
  const headers = { host: '127.0.0.1', authorization: `Bearer ${tokens.apiKey}` }
  const text = async (url: string, payload?: object): Promise<string> => {
    const body = payload === undefined ? {} : { method: 'POST' as const, payload }
    const answer = await app.inject({ url: `/api${url}`, headers, ...body })
    assert.equal(answer.statusCode, 200, `${url}: ${answer.body}`)
    return answer.body
  }
  const station = { text, json: async <T>(url: string) => JSON.parse(await text(url)) as T }
  try {
    for (const check of [assertArchive, assertWatch, assertWiki, assertTable]) await check(station)
  } finally {
    await close()
  }
}

interface Station {
  text: (url: string, payload?: object) => Promise<string>
  json: <T>(url: string) => Promise<T>
}

async function assertArchive({ text, json }: Station): Promise<void> {
  const [crawl] = (await json<CollectionStatus[]>('/collections')).filter(
    ({ spec }) => spec.kind === 'crawl',
  )
  assert.equal(crawl?.state, 'finished')
  const captures = await json<CaptureRow[]>('/captures')
  assert.deepEqual(captures.map(statusAndPath), CAPTURES)
  // A copy is a revisit, which is read by the response that it refers to.
  const page = await text(`/captures/content?url=${SITE}/`)
  assert.match(page, /<h1>Museum<\/h1>/)
  assert.equal(await text(`/captures/content?url=${SITE}/copy`), page)
  assert.match(await text(`/captures/content?url=${SITE}/notices`), /its roof burned down/)
}

const statusAndPath = ({ status, url }: { status: number | null; url: string }): string =>
  `${status} ${url.slice(SITE.length)}`

async function assertWatch({ json }: Station): Promise<void> {
  const [watch, ...others] = await json<WatchView[]>('/watches')
  assert.deepEqual([watch?.name, watch?.url, others.length], ['Notices', `${SITE}/notices`, 0])
  const visits = await json<VisitView[]>(`/watches/${watch?.id}/visits`)
  assert.deepEqual(
    visits.map(({ outcome }) => outcome),
    ['unchanged', 'changed', 'first'],
  )
}

async function assertWiki({ text, json }: Station): Promise<void> {
  const wiki = '/wikis/bells.example'
  assert.equal(await text(`${wiki}/text/2`), 'A bell rings, and a clock strikes.')
  assert.equal(await text(`${wiki}/text/3`), 'A clock strikes.')
  const verified = await json<object>(`${wiki}/verify`)
  assert.deepEqual(verified, { wiki: 'bells.example', ...WHOLE_WIKI })
}

async function assertTable({ text }: Station): Promise<void> {
  const sql = 'SELECT name, cast_in, weight_kg::DOUBLE FROM bells ORDER BY cast_in'
  const { rows } = JSON.parse(await text('/sql', { sql })) as { rows: unknown[][] }
  assert.deepEqual(rows, BELLS)
}

test('a folder of an older program is whole, opens, and stays whole', async () => {
  const data = unpack('sqlite')
  await mingaOutput('archive', 'verify', '--data', data)
  await assertWhole(data)
  await mingaOutput('archive', 'verify', '--data', data)
  assert.deepEqual((await listCaptures(data)).map(statusAndPath), CAPTURES)
})

const postgres = ENGINES.find(({ name }) => name === 'PostgreSQL')!

test(
  'a PostgreSQL database of an older program opens with all that is in it',
  { skip: postgres.skip },
  async () => {
    const data = unpack('postgres')
    const { postgresUrl } = (await postgres.home({ isBare: true })).options
    await administer(postgresUrl!, readFileSync(join(data, 'minga.sql'), 'utf8'))
    await assertWhole(data, postgresUrl)
  },
)
