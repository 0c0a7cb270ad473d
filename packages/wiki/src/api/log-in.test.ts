// Goal: what a wiki says to a log-in is understood in the words of old and new MediaWikis, and a stranger's
// answer is never taken for a member's. Method: answers as MediaWiki 1.39 writes them, and older ones.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { HeaderList } from '@minga/net'
import {
  asUser,
  checkUrl,
  isLoggedOut,
  logInFor,
  logInRequest,
  readLogIn,
  readToken,
  tokenRequest,
  type LogInProblem,
  type ReceivedAnswer,
} from './log-in.ts'
import { readFailure, readLogInFailure } from './read-answer.ts'
import { stepOfUrl, urlOfStep } from './step-url.ts'
import type { WikiStep } from './wiki-step.ts'

const NOW = Date.UTC(2026, 0, 1)
const API = 'https://wiki.example/w/api.php'
const LOG_IN = { api: API, user: 'Ana@minga', password: 'a&b=c d+é' }

function answer(said: unknown, status = 200, headers: HeaderList = []): ReceivedAnswer {
  const text = typeof said === 'string' ? said : JSON.stringify(said)
  return { status, headers, body: Buffer.from(text) }
}

const logInOf = (login: object): LogInProblem | null =>
  readLogIn(answer({ login }), { user: LOG_IN.user, now: NOW })

test('a log-in asks for a token, then posts name, password and token in a form and not in an address', () => {
  const asked = tokenRequest(LOG_IN)
  assert.equal(asked.method, 'GET')
  assert.equal(asked.url, `${API}?action=query&meta=tokens&type=login&format=json&formatversion=2`)
  const posted = logInRequest(LOG_IN, 'abc+\\')
  assert.deepEqual([posted.method, posted.url], ['POST', API])
  const form = new URLSearchParams(posted.body)
  assert.equal(form.get('action'), 'login')
  assert.equal(form.get('lgname'), 'Ana@minga')
  assert.equal(form.get('lgpassword'), LOG_IN.password)
  assert.equal(form.get('lgtoken'), 'abc+\\')
  assert.deepEqual(posted.headers, [['content-type', 'application/x-www-form-urlencoded']])
})

test('the token is read also from a packed answer; a wiki that has none is one without bot passwords', () => {
  const told = { batchcomplete: true, query: { tokens: { logintoken: 'abc+\\' } } }
  assert.deepEqual(readToken(answer(told), NOW), { token: 'abc+\\' })
  const packed = { ...answer(''), body: gzipSync(JSON.stringify(told)) }
  const headers: HeaderList = [['Content-Encoding', 'gzip']]
  assert.deepEqual(readToken({ ...packed, headers }, NOW), { token: 'abc+\\' })
  const endless = readToken(answer({ ...told, more: 'x'.repeat(1024 * 1024) }), NOW)
  assert.ok('problem' in endless)
  const none = readToken(answer({ batchcomplete: true, query: {} }), NOW)
  assert.ok('problem' in none)
  assert.deepEqual([none.problem.code, none.problem.retry], ['MINGA_WIKI_LOG_IN_FAILED', 'never'])
  assert.match(none.problem.message, /1\.27/)
})

test('what a wiki says to name and password has a stable code and a sentence that says what to do', () => {
  assert.equal(logInOf({ result: 'Success', lgusername: 'Ana' }), null)
  const said: [object, string, RegExp][] = [
    [
      { result: 'Failed', reason: { code: 'wrongpassword' } },
      'REFUSED',
      /Ana@minga \(wrongpassword\)/,
    ],
    [{ result: 'Failed', reason: 'Incorrect password.' }, 'REFUSED', /Special:BotPasswords/],
    [{ result: 'WrongPass' }, 'REFUSED', /give name and bot password again/],
    [{ result: 'NotExists' }, 'REFUSED', /NotExists/],
    [{ result: 'Aborted', reason: 'another step' }, 'FAILED', /make a bot password/],
  ]
  for (const [login, code, sentence] of said) {
    const problem = logInOf(login)
    assert.equal(problem?.code, `MINGA_WIKI_LOG_IN_${code}`)
    assert.equal(problem?.retry, 'never')
    assert.match(problem?.message ?? '', sentence)
  }
  const lost = [
    { result: 'NeedToken', token: 'x' },
    { result: 'WrongToken' },
    { result: 'Failed', reason: { code: 'sessionlost' } },
  ]
  for (const login of lost) assert.equal(logInOf(login)?.code, 'MINGA_WIKI_LOGGED_OUT')
})

test('a wiki that has seen too many log-ins is left alone for as long as it says, or five minutes', () => {
  const waits = [
    { result: 'Failed', reason: { code: 'login-throttled', params: [{ duration: 42 }] } },
    { result: 'Throttled', wait: 42 },
    { result: 'Throttled' },
  ].map((login) => logInOf(login))
  assert.deepEqual(
    waits.map((problem) => [problem?.code, problem?.retry, problem?.retryAfterMs]),
    [42_000, 42_000, 300_000].map((ms) => ['MINGA_WIKI_LOG_IN_THROTTLED', 'later', ms]),
  )
})

test('trouble of the server waits as it asks, and a redirect or a closed door ends the log-in', () => {
  const read = (given: ReceivedAnswer): LogInProblem | null =>
    readLogIn(given, { user: 'Ana@minga', now: NOW })
  const busy = read(answer('<html>busy</html>', 503, [['Retry-After', '90']]))
  assert.deepEqual([busy?.code, busy?.retryAfterMs], ['MINGA_WIKI_UNAVAILABLE', 90_000])
  const limited = read(answer({ error: { code: 'ratelimited', info: 'slow down' } }))
  assert.deepEqual([limited?.code, limited?.retry], ['MINGA_WIKI_RATE_LIMITED', 'later'])
  const proxy = read(answer('<html><title>Who are you</title>'))
  assert.deepEqual([proxy?.code, proxy?.retry], ['MINGA_WIKI_BAD_ANSWER', 'later'])
  for (const end of [answer('', 302), answer('', 403), answer({ batchcomplete: true })]) {
    assert.equal(read(end)?.code, 'MINGA_WIKI_LOG_IN_FAILED')
    assert.equal(read(end)?.retry, 'never')
  }
  const moved = readToken(answer('', 301), NOW)
  assert.ok('problem' in moved && moved.problem.retry === 'never')
})

test('a lost session is known by the error’s name, in its field or in the answer, and by nothing else', () => {
  for (const code of ['assertuserfailed', 'assertbotfailed', 'readapidenied', 'mustbeloggedin-x']) {
    assert.ok(isLoggedOut(answer({ error: { code, info: '' } })), code)
    assert.ok(isLoggedOut(answer('x'.repeat(20_000), 200, [['MediaWiki-API-Error', code]])), code)
  }
  assert.ok(!isLoggedOut(answer({ error: { code: 'maxlag', info: '' } })))
  assert.ok(!isLoggedOut(answer({ batchcomplete: true, query: { title: 'assertuserfailed' } })))
  assert.ok(!isLoggedOut(answer('<html>assertuserfailed')))
})

test('a login is for its api.php and the rest.php next to it, and nothing else there', () => {
  const other = { api: 'https://wiki.example/other/api.php' }
  const found = (url: string): unknown => logInFor(url, [other, LOG_IN])
  assert.equal(found(`${API}?action=query`), LOG_IN)
  assert.equal(found('https://wiki.example/w/rest.php/v1/revision/7?minga=x'), LOG_IN)
  assert.equal(found('https://wiki.example/other/api.php?x'), other)
  for (const url of [
    'http://wiki.example/w/api.php',
    'https://wiki.example:8443/w/api.php',
    'https://evil.example/w/api.php',
    'https://wiki.example/robots.txt',
    'https://wiki.example/w/index.php?title=A&action=raw',
    'https://wiki.example/w/rest.php.evil/v1',
    'https://wiki.example/w/api.php.evil',
    'https://wiki.example/W/api.php',
    'nonsense',
  ]) {
    assert.equal(found(url), null, url)
  }
})

test('what is asked as a member is the same step, and asks the wiki to say so when it is not one', () => {
  const ticket = { run: 1, task: 1, attempt: 0 }
  const step: WikiStep = { kind: 'siteinfo', api: API, origin: null, candidate: 0, ticket }
  const url = asUser(urlOfStep(step))
  assert.equal(new URL(url).searchParams.get('assert'), 'user')
  assert.deepEqual(stepOfUrl(url), step)
  assert.equal(new URL(checkUrl(LOG_IN)).searchParams.get('assert'), 'user')
})

test('a log-in that failed ends its step without another road, and leaves a history marked as cut', () => {
  const ticket = { run: 1, task: 1, attempt: 0 }
  const site: WikiStep = { kind: 'siteinfo', api: API, origin: API, candidate: 0, ticket }
  const problem = logInOf({ result: 'WrongPass' })
  assert.ok(problem)
  const news = readLogInFailure(site, problem)
  assert.deepEqual([news.problem?.retry, news.next, news.gaps], ['never', [], []])
  assert.deepEqual(news.warnings, [problem.message])
  const ids: WikiStep = {
    kind: 'ids',
    api: API,
    pageId: 7,
    hasSlots: true,
    limit: 500,
    soFar: 0,
    reached: null,
    more: {},
    ticket,
  }
  assert.deepEqual(
    readLogInFailure(ids, problem).gaps.map(({ kind }) => kind),
    ['history-cut'],
  )
  const throttled = logInOf({ result: 'Throttled', wait: 42 })
  assert.ok(throttled)
  const waits = readLogInFailure(ids, throttled)
  assert.deepEqual([waits.problem?.pauseMs, waits.gaps], [42_000, []])
})

test('a log-in that was broken off is taken up again at once', () => {
  const ticket = { run: 1, task: 1, attempt: 0 }
  const site: WikiStep = { kind: 'siteinfo', api: API, origin: null, candidate: 0, ticket }
  const { problem } = readFailure(site, 'MINGA_CANCELLED', { site: null, now: NOW })
  assert.deepEqual([problem?.retry, problem?.pauseMs], ['later', 0])
})
