/**
 * Login by a bot password, as MediaWiki wants it: a token for the login, then name, password and
 * token in a form; from then on the session's cookies identify the caller, and `assert=user` makes
 * the wiki report when they no longer do. Rules only: the caller keeps the host's clock and the
 * cookies.
 */
import { decodeContent, headerValues, type HeaderList } from '@minga/net'
import type { WikiLogIn } from '@minga/protocol'
import { openAnswer, parseJson, type WikiAnswer } from './answer-envelope.ts'
import { asObject, numberAt, objectAt, textAt, type Json } from './answer-shape.ts'
import type { WikiProblem, WikiErrorCode } from './wiki-news.ts'
import { restUrlFor } from './wiki-step.ts'

/** Why the login failed, and what to do. */
export interface LogInProblem {
  code: WikiErrorCode
  retry: 'later' | 'never'
  /** How long the wiki is to be left alone; null where the usual pause is enough. */
  retryAfterMs: number | null
  message: string
}

export interface LogInRequest {
  url: string
  method: 'GET' | 'POST'
  headers: HeaderList
  body?: string
}

const JSON_FORM = { format: 'json', formatversion: '2' }
/** Counted by MediaWiki in five minutes, unless the wiki is configured otherwise. */
const THROTTLED_MS = 300_000
/** An error of api.php is a sentence or two; what is longer is an answer. */
const ERROR_BYTES_MAX = 8_192
/** It is read where requests go out, so that a longer one, which no log-in gives, must not be read at all. */
const BODY = { bytesMax: 1024 * 1024, ratioMax: 200 }
/** The wiki does not treat this request as one of a logged-in user. */
const OUTSIDE = /^(?:assert(?:user|bot|nameduser)failed|readapidenied|mustbeloggedin)/
/** The cookies of the first request did not come back with the second. */
const LOST_SESSION = /^(?:sessionlost|authpage-cannot-login-continue|sessionfailure|badtoken)/

/** The one with this api.php, or with the rest.php next to it; null: bots log in nowhere else. */
export function logInFor<LogIn extends { api: string }>(
  url: string,
  logIns: readonly LogIn[],
): LogIn | null {
  const parsed = URL.parse(url)
  if (parsed === null) return null
  const place = parsed.origin + parsed.pathname
  const isOf = (api: string): boolean => place === api || place.startsWith(`${restUrlFor(api)}/`)
  return logIns.find(({ api }) => isOf(api)) ?? null
}

export function tokenRequest({ api }: WikiLogIn): LogInRequest {
  const query = new URLSearchParams({
    action: 'query',
    meta: 'tokens',
    type: 'login',
    ...JSON_FORM,
  })
  return { url: `${api}?${query.toString()}`, method: 'GET', headers: [] }
}

/** The password stands in the form alone: addresses are written into logs. */
export function logInRequest({ api, user, password }: WikiLogIn, token: string): LogInRequest {
  const form = new URLSearchParams({
    action: 'login',
    ...JSON_FORM,
    // Reasons as words for programs, with how long to wait.
    errorformat: 'raw',
    lgname: user,
    lgpassword: password,
    lgtoken: token,
  })
  const headers: HeaderList = [['content-type', 'application/x-www-form-urlencoded']]
  return { url: api, method: 'POST', headers, body: form.toString() }
}

/** The same question, which is answered to those alone who have logged in. */
export function asUser(url: string): string {
  return `${url}${url.includes('?') ? '&' : '?'}assert=user`
}

/** Asks for nothing but whether the session still holds. */
export function checkUrl({ api }: WikiLogIn): string {
  const query = new URLSearchParams({ action: 'query', meta: 'userinfo', ...JSON_FORM })
  return asUser(`${api}?${query.toString()}`)
}

/** As it came: `Content-Encoding` is not undone yet. */
export type ReceivedAnswer = WikiAnswer

export function readToken(
  answer: ReceivedAnswer,
  now: number,
): { token: string } | { problem: LogInProblem } {
  if (isElsewhere(answer)) return { problem: failed(ELSEWHERE) }
  const opened = openAnswer(plain(answer), now)
  if (!opened.ok) return { problem: notNow(opened.problem) }
  const token = textAt(objectAt(opened.envelope.query, 'tokens'), 'logintoken')
  return token === null
    ? { problem: failed('it gives no token for one (MediaWiki has bot passwords since 1.27)') }
    : { token }
}

/** A password goes where it was given for, and never where a server points. */
const ELSEWHERE = 'its api.php leads elsewhere; add the wiki by the address where that ends'
const isElsewhere = ({ status }: ReceivedAnswer): boolean => status >= 300 && status < 400

/** Null: it has let us in. */
export function readLogIn(
  answer: ReceivedAnswer,
  { user, now }: { user: string; now: number },
): LogInProblem | null {
  if (isElsewhere(answer)) return failed(ELSEWHERE)
  const readable = plain(answer)
  const login = objectAt(asObject(parseJson(readable.body)), 'login')
  if (login === null) {
    const opened = openAnswer(readable, now)
    return opened.ok ? failed('its answer says nothing of it') : notNow(opened.problem)
  }
  const result = textAt(login, 'result') ?? ''
  if (result === 'Success') return null
  const reason = reasonOf(login)
  if (result === 'Throttled' || reason === 'login-throttled') return throttled(user, login)
  if (result === 'NeedToken' || result === 'WrongToken' || LOST_SESSION.test(reason)) {
    return loggedOut(user)
  }
  if (result === 'Aborted') {
    return failed(`it wants more of ${user} than a name and a password; make a bot password there`)
  }
  return refused(user, reason === '' ? result : reason)
}

/**
 * Whether the wiki says that the session is not logged in any more. Large answers are not errors.
 */
export function isLoggedOut(answer: ReceivedAnswer): boolean {
  const codes = headerValues(answer, 'mediawiki-api-error')
  if (codes.some((code) => OUTSIDE.test(code))) return true
  if (answer.body.length > ERROR_BYTES_MAX) return false
  const error = objectAt(asObject(parseJson(plain(answer).body)), 'error')
  return OUTSIDE.test(textAt(error, 'code') ?? '')
}

/** A session that ends as soon as it has begun, or that may not read. */
export function loggedOut(user: string): LogInProblem {
  const message = `The wiki does not keep the log-in of ${user}, or does not let it read: look there whether this bot password still holds and may read, then give it again.`
  return { code: 'MINGA_WIKI_LOGGED_OUT', retry: 'never', retryAfterMs: null, message }
}

function refused(user: string, reason: string): LogInProblem {
  const message = `The wiki refuses the log-in of ${user} (${reason.slice(0, 100)}): look at Special:BotPasswords there, and give name and bot password again.`
  return { code: 'MINGA_WIKI_LOG_IN_REFUSED', retry: 'never', retryAfterMs: null, message }
}

function throttled(user: string, login: Json): LogInProblem {
  const retryAfterMs = waitMsOf(login) ?? THROTTLED_MS
  const minutes = Math.ceil(retryAfterMs / 60_000)
  const message = `The wiki has seen too many log-ins of ${user}; it is tried again in ${minutes} minutes.`
  return { code: 'MINGA_WIKI_LOG_IN_THROTTLED', retry: 'later', retryAfterMs, message }
}

function failed(what: string): LogInProblem {
  const message = `The log-in at the wiki came to no end: ${what}.`
  return { code: 'MINGA_WIKI_LOG_IN_FAILED', retry: 'never', retryAfterMs: null, message }
}

/** What passes is waited for; what does not is a log-in that failed. */
function notNow({ code, retry, pauseMs, message }: WikiProblem): LogInProblem {
  if (retry === 'elsewhere' || retry === 'never') return failed(message.replace(/\.$/, ''))
  return { code, retry: 'later', retryAfterMs: pauseMs, message }
}

/** A word in newer wikis, a sentence in older ones. */
function reasonOf(login: Json): string {
  const reason = objectAt(login, 'reason')
  return textAt(reason, 'code') ?? textAt(login, 'reason') ?? ''
}

/** `wait` before 1.27, then the first duration among the parameters of the reason. */
function waitMsOf(login: Json): number | null {
  const params = objectAt(login, 'reason')?.['params']
  const durations = Array.isArray(params)
    ? params.map((param: unknown) => numberAt(asObject(param), 'duration'))
    : []
  const seconds = numberAt(login, 'wait') ?? durations.find((each) => each !== null) ?? null
  return seconds === null || seconds < 0 ? null : seconds * 1_000
}

function plain(answer: ReceivedAnswer): WikiAnswer {
  const encoding = headerValues(answer, 'content-encoding').join(',') || undefined
  const { bytes } = decodeContent(
    Buffer.from(answer.body.subarray(0, BODY.bytesMax)),
    encoding,
    BODY,
  )
  return { ...answer, body: bytes }
}
