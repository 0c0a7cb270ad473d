// Goal: the fake wiki is the same for all callers, continues where it stopped, and fails as
// configured. Method: plain requests against wikis of some edits, one fault after the other.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { test, type TestContext } from 'node:test'

import { startFakeWiki, type FakeWiki, type FakeWikiSpec } from './fake-wiki.ts'
import { startFakeWikiProcess } from './fake-wiki-process.ts'
import type { WikiOperation } from './operation.ts'

const REVISIONS =
  'prop=revisions&titles=Long&rvlimit=50&rvdir=newer&rvslots=*&rvprop=ids|content|timestamp'

function edits(title: string, count: number): WikiOperation[] {
  return Array.from({ length: count }, (_, i) => ({ do: 'edit', title, text: `text ${i}` }))
}

async function wikiFor(t: TestContext, spec: FakeWikiSpec = {}): Promise<FakeWiki> {
  const wiki = await startFakeWiki(spec)
  t.after(() => wiki.close())
  return wiki
}

interface Said {
  batchcomplete?: boolean
  continue?: Record<string, string>
  error?: { code: string }
  warnings?: Record<string, { warnings: string }>
  query?: { pages: { title: string; revisions: { revid: number; slots?: object }[] }[] }
}

async function ask(wiki: { apiUrl: string }, question: string): Promise<Said> {
  const response = await fetch(
    `${wiki.apiUrl}?action=query&format=json&formatversion=2&${question}`,
  )
  const said: Said = JSON.parse(await response.text())
  return said
}

function queryOf(more: Record<string, string> = {}): string {
  return new URLSearchParams(more).toString()
}

function idsOf(said: Said): number[] {
  return said.query?.pages[0]?.revisions.map(({ revid }) => revid) ?? []
}

async function askAll(wiki: FakeWiki, question: string): Promise<{ ids: number[]; calls: number }> {
  const ids: number[] = []
  let more: Record<string, string> | undefined = {}
  let calls = 0
  while (more !== undefined) {
    const said: Said = await ask(wiki, `${question}&${queryOf(more)}`)
    ids.push(...idsOf(said))
    calls += 1
    more = said.continue
  }
  return { ids, calls }
}

test('a page of 120 revisions comes in three answers of at most fifty', async (t) => {
  const wiki = await wikiFor(t, { history: edits('Long', 120) })
  const { ids, calls } = await askAll(wiki, REVISIONS)
  assert.equal(calls, 3)
  assert.equal(new Set(ids).size, 120)
  assert.equal(wiki.hits().length, 3)
  assert.equal(wiki.concurrencyMax('host'), 1)
})

test('the same operations make the same wiki, whenever they are performed', async (t) => {
  const spec: FakeWikiSpec = { history: edits('Long', 5), port: 0 }
  const [one, two] = [await wikiFor(t, spec), await wikiFor(t, spec)]
  assert.deepEqual(await ask(one, REVISIONS), await ask(two, REVISIONS))
})

test('what is too large for one answer comes with the next, and the wiki says so', async (t) => {
  const history: WikiOperation[] = Array.from({ length: 6 }, (_, i) => {
    return { do: 'edit', title: 'Long', text: String(i).repeat(400) }
  })
  const wiki = await wikiFor(t, { history, resultBytesMax: 1000 })
  const said = await ask(wiki, REVISIONS)
  assert.equal(idsOf(said).length, 2)
  assert.match(said.warnings?.['result']?.warnings ?? '', /truncated/)
  assert.equal((await askAll(wiki, REVISIONS)).ids.length, 6)
})

test('a lagging wiki answers 200 with an error and says when to come back', async (t) => {
  const wiki = await wikiFor(t, { faults: [{ kind: 'lag', seconds: 7.5, retryAfter: 9 }] })
  const response = await fetch(`${wiki.apiUrl}?action=query&formatversion=2`)
  assert.equal(response.status, 200)
  assert.equal(response.headers.get('retry-after'), '9')
  assert.equal(response.headers.get('x-database-lag'), '7')
  assert.equal(response.headers.get('mediawiki-api-error'), 'maxlag')
  assert.match(await response.text(), /"code":"maxlag","info":"Waiting for a database server: 7.5/)
  assert.equal((await ask(wiki, REVISIONS)).error, undefined)
})

test('a fault befalls the requests that it names, as often as it says', async (t) => {
  const wiki = await wikiFor(t, { history: edits('Long', 3) })
  wiki.fail({ kind: 'status', status: 429, retryAfter: 3, match: 'rvlimit', from: 2, times: 2 })
  const statuses: number[] = []
  for (let i = 0; i < 5; i += 1) {
    await fetch(`${wiki.url}/wiki/Long`)
    const response = await fetch(`${wiki.apiUrl}?action=query&${REVISIONS}`)
    statuses.push(response.status)
    if (response.status === 429) assert.equal(response.headers.get('retry-after'), '3')
  }
  assert.deepEqual(statuses, [200, 429, 429, 200, 200])
})

test('errors, pages of a proxy, broken and slow answers come when they are asked for', async (t) => {
  const wiki = await wikiFor(t, { history: edits('Long', 3) })
  wiki.fail({ kind: 'error', code: 'ratelimited' })
  assert.equal((await ask(wiki, REVISIONS)).error?.code, 'ratelimited')
  wiki.fail({ kind: 'html' })
  assert.match(await (await fetch(`${wiki.apiUrl}?${REVISIONS}`)).text(), /<html>.*log in/s)
  wiki.fail({ kind: 'cut', bytes: 20 })
  await assert.rejects(async () => (await fetch(`${wiki.apiUrl}?${REVISIONS}`)).text())
  wiki.fail({ kind: 'reset' })
  await assert.rejects(fetch(`${wiki.apiUrl}?${REVISIONS}`))
  wiki.fail({ kind: 'slow', ms: 80 })
  const startedMs = performance.now()
  await ask(wiki, REVISIONS)
  assert.ok(performance.now() - startedMs >= 75)
})

test('a continuation that loops gives back the place that was asked for', async (t) => {
  const wiki = await wikiFor(t, { history: edits('Long', 120) })
  const first = await ask(wiki, REVISIONS)
  wiki.fail({ kind: 'loop', match: 'rvcontinue', times: null })
  const next = `${REVISIONS}&${queryOf(first.continue)}`
  assert.deepEqual((await ask(wiki, next)).continue, first.continue)
})

test('revisions can be lost silently, and edits can happen between two answers', async (t) => {
  const wiki = await wikiFor(t, { history: edits('Long', 60) })
  wiki.fail({ kind: 'lose', revids: [10, 11], times: null })
  assert.equal((await askAll(wiki, REVISIONS)).ids.length, 58)
  wiki.fail({ kind: 'operations', match: 'rvcontinue', perform: edits('Long', 2).toReversed() })
  assert.equal((await askAll(wiki, REVISIONS)).ids.length, 60)
})

test('namespaces can change their names under way', async (t) => {
  const history: WikiOperation[] = [{ do: 'edit', title: 'Talk:Long', text: 'x' }]
  const wiki = await wikiFor(t, { history })
  wiki.fail({ kind: 'namespaces', names: { 1: 'Diskussion' } })
  const names = async (): Promise<string> => {
    const question = 'action=query&meta=siteinfo&siprop=namespaces&formatversion=2'
    return (await fetch(`${wiki.apiUrl}?${question}`)).text()
  }
  assert.match(await names(), /Diskussion/)
})

test('a wiki whose api.php is closed still exports its pages and shows their history', async (t) => {
  const wiki = await wikiFor(t, {
    history: edits('Long', 3),
    faults: [{ kind: 'error', code: 'readapidenied', match: 'api\\.php', times: null }],
  })
  assert.equal((await ask(wiki, REVISIONS)).error?.code, 'readapidenied')
  const exported = await fetch(`${wiki.url}/w/index.php?title=Special:Export/Long&history=1`)
  assert.equal((await exported.text()).match(/<revision>/g)?.length, 3)
  const shown = await fetch(`${wiki.url}/w/index.php?title=Long&action=history`)
  assert.equal((await shown.text()).match(/data-mw-revid/g)?.length, 3)
})

test('articles say where api.php is, and robots.txt is as the test wants it', async (t) => {
  const wiki = await wikiFor(t, { robots: 'User-agent: *\nDisallow: /w/\n' })
  const page = await (await fetch(`${wiki.url}/wiki/Main_Page`)).text()
  assert.ok(
    page.includes(`rel="EditURI" type="application/rsd+xml" href="${wiki.apiUrl}?action=rsd"`),
  )
  assert.match(await (await fetch(`${wiki.url}/robots.txt`)).text(), /Disallow/)
})

test('changes can be listened to, from after the event that was seen last', async (t) => {
  const wiki = await wikiFor(t, { history: edits('Long', 2) })
  const listen = async (headers: Record<string, string>, until: RegExp): Promise<string> => {
    const gone = new AbortController()
    const response = await fetch(wiki.streamUrl, { headers, signal: gone.signal })
    const decoder = new TextDecoder()
    let heard = ''
    for await (const chunk of response.body ?? []) {
      heard += decoder.decode(chunk, { stream: true })
      if (until.test(heard)) break
    }
    gone.abort()
    return heard
  }
  const listening = listen({}, /"new":5/)
  await waitFor(() => wiki.hits().length > 0)
  wiki.perform([
    { do: 'edit', title: 'Long', text: 'a' },
    { do: 'edit', title: 'Other', text: 'b' },
  ])
  const heard = await listening
  assert.ok(heard.includes('"title":"Other"') && !heard.includes('"new":3}'))
  const lastEventId = '[{"topic":"recentchange","partition":0,"offset":2}]'
  const again = await listen({ 'last-event-id': lastEventId }, /"new":5/)
  assert.ok(again.includes('"new":3}') && !again.includes('"new":2}'))
  assert.match(again, /"domain":"canary"/)
  assert.match(again, /"wiki":"otherwiki"/)
})

async function waitFor(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5))
}

test('answers are compressed for those who can read it', async (t) => {
  const wiki = await wikiFor(t, { history: edits('Long', 3) })
  const headers = { 'accept-encoding': 'gzip' }
  const response = await fetch(`${wiki.apiUrl}?action=query&${REVISIONS}`, { headers })
  assert.equal(response.headers.get('content-encoding'), 'gzip')
  assert.match(await response.text(), /text 2/)
})

test('a fake wiki in a process of its own answers, takes orders and logs its hits', async (t) => {
  const wiki = await startFakeWikiProcess({ history: edits('Long', 3) })
  t.after(() => wiki.close())
  assert.equal(idsOf(await ask(wiki, REVISIONS)).length, 3)
  const [made] = await wiki.perform([{ do: 'edit', title: 'Long', text: 'new' }])
  assert.equal(made?.revid, 5)
  await wiki.fail({ kind: 'error', code: 'readonly' })
  assert.equal((await ask(wiki, REVISIONS)).error?.code, 'readonly')
  assert.deepEqual(idsOf(await ask(wiki, REVISIONS)), [2, 3, 4, 5])
  assert.equal(wiki.hits().length, 3)
  // The end of an answer is written down when the wiki hears that it was sent, which may be after it was read.
  for (let i = 0; i < 100 && wiki.hits().some(({ end }) => end === undefined); i++) await sleep(10)
  assert.ok(wiki.hits().every(({ end, status }) => end !== undefined && status === 200))
})
