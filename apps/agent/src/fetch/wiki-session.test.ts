// Goal: what a wiki shows to those alone who have logged in is fetched as one of them or not at all, at the
// host's pace, and nothing of the log-in is left behind. Method: the real fetcher and clock against a fake
// wiki, judged by its log and by what would be sent to the station.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { createFetcher, DEFAULT_LIMITS } from '@minga/net/fetch'
import { systemClock, type HostBlock } from '@minga/protocol'
import { startFakeWiki, type FakeWiki, type FakeWikiSpec } from '@minga/testkit'
import { WorkBuffer } from './work-buffer.ts'
import { AT_EASE, recordFinding } from '../record/record.ts'
import type { Finding, Recorder } from '../record/recorder.ts'
import { blockOf, hostOf, until } from '../../test/station/station-client-fixture.ts'

const BOT = { user: 'Ana@minga', password: 'a secret of thirty-two letters!!' }
const DELAY_MS = 60

interface Fetching {
  wiki: FakeWiki
  buffer: WorkBuffer
  findings: Finding[]
  stop: AbortController
}

async function startFetching(t: TestContext, spec: FakeWikiSpec = {}): Promise<Fetching> {
  const history = [{ do: 'edit' as const, title: 'Llama', text: 'wool' }]
  const wiki = await startFakeWiki({ bots: [BOT], isClosed: true, history, ...spec })
  const fetcher = createFetcher({
    clock: systemClock,
    userAgent: 'MingaBot/test',
    guard: { allowPrivateAddresses: true },
    limits: DEFAULT_LIMITS,
    connectionsPerHost: 4,
  })
  t.after(async () => {
    await fetcher.close()
    await wiki.close()
  })
  const findings: Finding[] = []
  const machine = {
    clock: systemClock,
    fetcher,
    recorder: keeping(findings),
    limits: { concurrency: 4, requestsInHand: 100, resultBytes: 10_000_000 },
    random: () => 0,
    isAbandoned: () => false,
    complain: () => {},
    beat: async () => {},
  }
  const stop = new AbortController()
  return { wiki, buffer: new WorkBuffer({ machine, signal: stop.signal }), findings, stop }
}

function keeping(findings: Finding[]): Recorder {
  return {
    waiting: 0,
    waitingBytes: 0,
    fences: new Set(),
    put: (finding) => void findings.push(finding),
    batch: async () => null,
    delivered: () => {},
    changed: async () => {},
    close: async () => {},
  }
}

const PAGES = ['siteinfo', 'userinfo', 'siteinfo|userinfo']

function questions({ apiUrl }: FakeWiki): string[] {
  return PAGES.map((meta) => `${apiUrl}?action=query&meta=${meta}&format=json&formatversion=2`)
}

/** The one edit comes after the wiki's own main page. */
const textUrl = ({ url }: FakeWiki): string => `${url}/w/rest.php/v1/revision/2?minga=x`

let fence = 0

/** Asks for these addresses, as one block. */
async function ask(fetching: Fetching, urls: string[], more: Partial<HostBlock> = {}) {
  const { wiki, buffer, findings } = fetching
  const logIns = [{ api: wiki.apiUrl, ...BOT }]
  const host = hostOf(urls, { address: '127.0.0.1', delayMs: DELAY_MS, logIns, ...more })
  const before = findings.length
  fence += 1
  buffer.take(blockOf(fence, [host]), systemClock.monotonicMs())
  await buffer.emptied()
  return outcomesOf(findings.slice(before))
}

const outcomesOf = (findings: Finding[]): string[] =>
  findings.map(({ outcome }) => {
    if (outcome === null) return 'returned'
    return outcome.ok ? String(outcome.status) : outcome.code
  })

const textsOf = (findings: Finding[]): string[] =>
  findings.map(({ outcome }) => {
    if (!outcome?.ok) return ''
    const isPacked = outcome.rawHeaders.some(([name]) => name.toLowerCase() === 'content-encoding')
    return (isPacked ? gunzipSync(outcome.body) : outcome.body).toString()
  })

const shown = (wiki: FakeWiki): string[] =>
  wiki.hits().map(({ method, path }) => {
    if (method === 'POST') return 'log-in'
    if (path.includes('meta=tokens')) return 'token'
    return path.includes('assert=user') ? 'as user' : 'page'
  })

test('a closed wiki is asked by who has logged in once, with its delay between all requests', async (t) => {
  const fetching = await startFetching(t)
  const { wiki, findings } = fetching
  assert.deepEqual(await ask(fetching, questions(wiki)), ['200', '200', '200'])
  assert.ok(textsOf(findings).every((text) => text.includes('"query"')))
  assert.deepEqual(shown(wiki), ['token', 'log-in', 'as user', 'as user', 'as user'])
  assert.deepEqual(wiki.violations({ delayMs: DELAY_MS, per: 'host' }), [])
  assert.equal(wiki.concurrencyMax('host'), 1)
  assert.deepEqual(await ask(fetching, questions(wiki)), ['200', '200', '200'])
  assert.equal(wiki.logIns().length, 1, 'the session outlives a block')
})

test('a lent machine asks nothing that carries a log-in, and says so', async (t) => {
  const fetching = await startFetching(t)
  const { wiki, buffer } = fetching
  buffer.machine.refusesLogIns = true
  const refused = ['MINGA_VOLUNTEER_REFUSED', 'returned', 'returned']
  assert.deepEqual((await ask(fetching, questions(wiki))).toSorted(), refused)
  const token = { logIns: [], authorization: 'Bearer a-secret' }
  assert.deepEqual((await ask(fetching, questions(wiki), token)).toSorted(), refused)
  assert.deepEqual(wiki.hits(), [])
  assert.deepEqual(await ask(fetching, [`${wiki.url}/robots.txt`]), ['404'], 'others are asked')
})

test('nothing of the log-in stands in what is recorded and sent', async (t) => {
  const fetching = await startFetching(t)
  const { wiki, findings } = fetching
  await ask(fetching, [...questions(wiki), textUrl(wiki)])
  const sessions = wiki.cookies().join('; ').split('; ').filter(Boolean)
  assert.ok(sessions.some((cookie) => cookie.startsWith('wiki_BPsession=')))
  for (const finding of findings) {
    const tools = { clock: systemClock, newId: () => crypto.randomUUID(), effort: AT_EASE }
    const { result, members } = recordFinding(tools, finding)
    const kept = JSON.stringify(result) + members.map((member) => gunzipSync(member)).join('')
    assert.equal(result.type, 'captured')
    for (const secret of [
      BOT.password,
      'set-cookie',
      'Cookie:',
      'wiki_',
      'token1',
      'assert=user',
    ]) {
      assert.ok(!kept.toLowerCase().includes(secret.toLowerCase()), `${secret} is recorded`)
    }
  }
})

test('a session that ended is opened again once, and no stranger’s answer is handed on', async (t) => {
  // Open to all: without `assert` the wiki would have answered as to a stranger.
  const fetching = await startFetching(t, { isClosed: false })
  const { wiki, findings } = fetching
  const [first, ...others] = questions(wiki)
  await ask(fetching, [first!])
  wiki.endSessions()
  assert.deepEqual(await ask(fetching, others), ['200', '200'])
  assert.ok(textsOf(findings).every((text) => !text.includes('assertuserfailed')))
  assert.deepEqual(shown(wiki).slice(3), ['as user', 'token', 'log-in', 'as user', 'as user'])
  assert.deepEqual(wiki.violations({ delayMs: DELAY_MS, per: 'host' }), [])
})

test('a text of rest.php counts only when api.php says afterwards that the session still held', async (t) => {
  const fetching = await startFetching(t)
  const { wiki, findings } = fetching
  assert.deepEqual(await ask(fetching, [textUrl(wiki)]), ['200'])
  assert.deepEqual(shown(wiki), ['token', 'log-in', 'page', 'as user'])
  wiki.endSessions()
  assert.deepEqual(await ask(fetching, [textUrl(wiki)]), ['200'])
  const sources = textsOf(findings).map((text) => (JSON.parse(text) as { source: string }).source)
  assert.deepEqual(sources, ['wool', 'wool'])
  assert.deepEqual(shown(wiki).slice(4), ['page', 'as user', 'token', 'log-in', 'page', 'as user'])
})

test('a wiki that keeps no session ends the request with a code, after two log-ins and no more', async (t) => {
  const fetching = await startFetching(t)
  const { wiki, findings } = fetching
  wiki.fail({ kind: 'error', code: 'assertuserfailed', match: 'assert=user', times: null })
  const outcomes = await ask(fetching, questions(wiki))
  assert.deepEqual(outcomes, ['MINGA_WIKI_LOGGED_OUT', 'returned', 'returned'])
  assert.equal(wiki.logIns().length, 2)
  const [outcome] = findings.map((finding) => finding.outcome)
  assert.ok(outcome?.ok === false)
  assert.match(outcome.message, /Ana@minga/)
  assert.ok(!outcome.message.includes(BOT.password))
})

test('a wrong password is shown once; the rest of the block is given back', async (t) => {
  const fetching = await startFetching(t)
  const { wiki } = fetching
  const logIns = [{ api: wiki.apiUrl, user: BOT.user, password: 'wrong' }]
  const outcomes = await ask(fetching, questions(wiki), { logIns })
  assert.deepEqual(outcomes, ['MINGA_WIKI_LOG_IN_REFUSED', 'returned', 'returned'])
  assert.deepEqual(wiki.logIns(), [{ user: BOT.user, result: 'Failed' }])
  // Side by side, too.
  await ask(fetching, questions(wiki), { logIns, delayMs: 0, threads: 3 })
  assert.equal(wiki.logIns().length, 1)
  assert.deepEqual(await ask(fetching, questions(wiki)), ['200', '200', '200'])
})

test('what the station knows to be refused is not asked at all', async (t) => {
  const fetching = await startFetching(t)
  const { wiki } = fetching
  const refused = { code: 'MINGA_WIKI_LOG_IN_REFUSED', message: 'Not yet.' }
  const outcomes = await ask(fetching, questions(wiki), { logIns: [{ api: wiki.apiUrl, refused }] })
  assert.deepEqual(outcomes, ['MINGA_WIKI_LOG_IN_REFUSED', 'returned', 'returned'])
  assert.deepEqual(wiki.hits(), [])
})

for (const [what, login, code, retryAfterMs] of [
  ['throttles', { result: 'Throttled', wait: 30 }, 'MINGA_WIKI_LOG_IN_THROTTLED', 30_000],
  ['aborts', { result: 'Aborted', reason: 'x' }, 'MINGA_WIKI_LOG_IN_FAILED', null],
  ['wants another token', { result: 'NeedToken' }, 'MINGA_WIKI_LOGGED_OUT', null],
] as const) {
  test(`a wiki that ${what} is left alone after one log-in`, async (t) => {
    const fetching = await startFetching(t)
    const { wiki, findings } = fetching
    wiki.fail({ kind: 'body', body: JSON.stringify({ login }), match: 'api\\.php$' })
    assert.deepEqual(await ask(fetching, questions(wiki)), [code, 'returned', 'returned'])
    assert.deepEqual(shown(wiki), ['token', 'log-in'])
    const tools = { clock: systemClock, newId: () => crypto.randomUUID(), effort: AT_EASE }
    const { result } = recordFinding(tools, findings[0]!)
    assert.ok(result.type === 'failed')
    assert.equal(result.retryAfterMs, retryAfterMs)
  })
}

test('a server that fails during the log-in is a failed request like all others', async (t) => {
  const fetching = await startFetching(t)
  const { wiki } = fetching
  wiki.fail({ kind: 'reset', match: 'meta=tokens' })
  assert.deepEqual(await ask(fetching, [questions(wiki)[0]!]), ['MINGA_CONNECTION_LOST'])
  wiki.fail({ kind: 'status', status: 503, retryAfter: 7, match: 'meta=tokens' })
  assert.deepEqual(await ask(fetching, [questions(wiki)[0]!]), ['MINGA_WIKI_UNAVAILABLE'])
})

test('three requests in parallel share one log-in', async (t) => {
  const fetching = await startFetching(t)
  const { wiki } = fetching
  wiki.fail({ kind: 'slow', ms: 30, times: null })
  const outcomes = await ask(fetching, questions(wiki), { delayMs: 0, threads: 3 })
  assert.deepEqual(outcomes, ['200', '200', '200'])
  assert.equal(wiki.logIns().length, 1)
})

test('a redirect is not followed, and what is elsewhere on the host is asked without cookies', async (t) => {
  const fetching = await startFetching(t, { isClosed: false })
  const { wiki } = fetching
  const pages = [`${wiki.url}/wiki/Llama`, `${wiki.url}/w/index.php?title=Llama&action=raw`]
  await ask(fetching, [questions(wiki)[0]!, ...pages])
  assert.deepEqual(wiki.cookies().slice(-2), ['', ''])
  assert.match(wiki.cookies().at(-3) ?? '', /wiki_BPsession/)
  wiki.endSessions()
  wiki.fail({ kind: 'status', status: 302, match: 'meta=tokens' })
  assert.deepEqual(await ask(fetching, [questions(wiki)[0]!]), ['MINGA_WIKI_LOG_IN_FAILED'])
})

test('an agent that must stop between the two requests of a log-in does not give the host back as unasked', async (t) => {
  const fetching = await startFetching(t)
  const { wiki, stop, findings } = fetching
  const asked = ask(fetching, questions(wiki), { delayMs: 5_000 })
  await until(() => wiki.hits()[0]?.end !== undefined, 'the token is here')
  stop.abort()
  await asked
  assert.deepEqual(outcomesOf(findings).toSorted(), ['MINGA_CANCELLED', 'returned', 'returned'])
  assert.equal(wiki.logIns().length, 0)
})
