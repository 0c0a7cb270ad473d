/**
 * How the fake wiki lets bots log in: tokens, sessions in cookies, and the answers to strangers, as
 * MediaWiki 1.39.
 */

import { textAnswer, type Answer } from '../web/answer.ts'
import { ApiRefusal, refusalAnswer, type Json } from './api/api-answer.ts'

export interface FakeBot {
  /** As in `Ana@minga`. */
  user: string
  password: string
}

export interface LoginRequest {
  method: string
  path: string
  cookie: string
  /** Of a form that was posted. */
  body: string
}

export interface LogInAttempt {
  user: string
  result: string
}

export interface FakeLoginServer {
  /** What is said at the door; null: the request may pass. */
  answer(request: LoginRequest): Answer | null
  /** From now on everyone is a stranger again. */
  endSessions(): void
  attempts(): LogInAttempt[]
}

export interface FakeLoginOptions {
  bots: readonly FakeBot[]
  /** Strangers may read nothing. */
  isClosed: boolean
  /** After so many wrong passwords all logins are refused. */
  wrongMax: number
}

const VISITOR_COOKIE = 'wiki_session'
const BOT_COOKIE = 'wiki_BPsession'
const THROTTLE_SECONDS = 300

export function openFakeLogin(
  { bots, isClosed, wrongMax }: FakeLoginOptions,
  url: string,
): FakeLoginServer {
  const tokens = new Map<string, string>()
  const sessions = new Set<string>()
  const attempts: LogInAttempt[] = []
  let count = 0
  let wrong = 0
  const isIn = (request: LoginRequest): boolean => sessions.has(cookieIn(request, BOT_COOKIE))

  const giveToken = (): Answer => {
    count += 1
    const [session, logintoken] = [`visitor${count}`, `token${count}+\\`]
    tokens.set(session, logintoken)
    return said({ batchcomplete: true, query: { tokens: { logintoken } } }, VISITOR_COOKIE, session)
  }
  const logIn = (request: LoginRequest): Answer => {
    const form = new URLSearchParams(request.body)
    const user = form.get('lgname') ?? ''
    const token = tokens.get(cookieIn(request, VISITOR_COOKIE))
    const end = (result: string, reason?: Json): Answer => {
      attempts.push({ user, result })
      return said({ login: { result, ...(reason && { reason }) } })
    }
    if (!form.has('lgtoken')) return end('NeedToken')
    if (token === undefined) return end('Failed', { code: 'sessionlost', params: [] })
    if (token !== form.get('lgtoken')) return end('WrongToken')
    if (wrong >= wrongMax) {
      const params = [{ duration: THROTTLE_SECONDS }]
      return end('Failed', { code: 'login-throttled', key: 'login-throttled', params })
    }
    const isRight = bots.some((bot) => bot.user === user && bot.password === form.get('lgpassword'))
    if (!isRight) {
      wrong += 1
      return end('Failed', { code: 'wrongpassword', key: 'wrongpassword', params: [] })
    }
    attempts.push({ user, result: 'Success' })
    count += 1
    sessions.add(`bot${count}`)
    const lgusername = user.replace(/@.*/, '')
    return said({ login: { result: 'Success', lgusername } }, BOT_COOKIE, `bot${count}`)
  }

  return {
    answer(request) {
      const { pathname, searchParams } = new URL(request.path, url)
      if (pathname.startsWith('/w/rest.php/')) {
        const isBarred = isClosed && !isIn(request)
        return isBarred ? { ...said({ error: 'rest-read-denied' }), status: 403 } : null
      }
      // Sessions of bots are for programs: pages know nothing of them.
      if (pathname !== '/w/api.php') return isClosed && isPage(pathname) ? LOG_IN_FIRST : null
      if (request.method === 'POST') return logIn(request)
      if (searchParams.get('meta') === 'tokens') return giveToken()
      if (isIn(request)) return null
      if (searchParams.get('assert') === 'user') return refused(url, 'assertuserfailed')
      return isClosed ? refused(url, 'readapidenied') : null
    },
    endSessions: () => sessions.clear(),
    attempts: () => [...attempts],
  }
}

const isPage = (path: string): boolean => /^\/(?:$|wiki\/|w\/index\.php)/.test(path)
const LOG_IN_FIRST = textAnswer(
  200,
  'text/html; charset=UTF-8',
  '<!DOCTYPE html><title>Login required</title><meta name="generator" content="MediaWiki 1.39.17"/>',
)

function cookieIn({ cookie }: LoginRequest, name: string): string {
  const pair = cookie.split('; ').find((each) => each.startsWith(`${name}=`))
  return pair?.slice(name.length + 1) ?? ''
}

function said(json: Json, cookie?: string, value?: string): Answer {
  const answer = textAnswer(200, 'application/json; charset=utf-8', JSON.stringify(json))
  if (cookie === undefined) return answer
  return {
    ...answer,
    headers: [...answer.headers, 'set-cookie', `${cookie}=${value}; path=/; HttpOnly`],
  }
}

function refused(url: string, code: string): Answer {
  const { json, headers } = refusalAnswer(new ApiRefusal(code, code), `${url}/w/api.php`)
  const answer = said(json)
  return { ...answer, headers: [...answer.headers, ...headers] }
}
