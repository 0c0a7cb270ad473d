/**
 * What the station's own agents ask a wiki that wants a log-in. The log-in is made of ordinary requests to the
 * host, which go out one by one at its pace; its cookies live here, in memory, and in no record.
 */
import type { FetchAnswer, FetchOutcome, FetchRequest, HeaderList } from '@minga/net'
import type { Clock, WikiLogIn } from '@minga/protocol'
import {
  asUser,
  checkUrl,
  isLoggedOut,
  loggedOut,
  logInRequest,
  readLogIn,
  readToken,
  tokenRequest,
  type LogInProblem,
  type ReceivedAnswer,
} from '@minga/wiki/log-in'
import { SessionCookies } from '@minga/wiki/session-cookies'

/** The login failed: the pending request ends with this. */
export interface LogInFailure extends Omit<LogInProblem, 'code'> {
  ok: false
  code: string
  totalMs: number
}

/** What a request says; where it goes and when is its lane's. */
export type Asked = Omit<FetchRequest, 'address' | 'signal' | 'mayStart'>

/** Why nothing was sent: its lease was over or would have been, or all is to stop. */
export type Undialled = 'late' | 'halted'

/** One request to the host, at its pace. */
export type Dial = (asked: Asked) => Promise<FetchOutcome | Undialled>

type Ended = FetchOutcome | LogInFailure | Undialled

/** For the other threads of a host: after a failed login none of them tries again at once. */
const REMEMBERED_MS = 10_000

export class WikiSessions {
  readonly #clock: Clock
  readonly #sessions = new Map<string, WikiSession>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Another name or password is another session, and the former one is forgotten. */
  of(logIn: WikiLogIn): WikiSession {
    const known = this.#sessions.get(logIn.api)
    if (known?.isOf(logIn)) return known
    const session = new WikiSession(logIn, this.#clock)
    this.#sessions.set(logIn.api, session)
    return session
  }
}

export class WikiSession {
  readonly #logIn: WikiLogIn
  readonly #clock: Clock
  #cookies: SessionCookies | null = null
  #opening: Promise<SessionCookies | Ended> | null = null
  #failed: { failure: LogInFailure; untilMs: number } | null = null

  constructor(logIn: WikiLogIn, clock: Clock) {
    this.#logIn = logIn
    this.#clock = clock
  }

  isOf({ user, password }: WikiLogIn): boolean {
    return this.#logIn.user === user && this.#logIn.password === password
  }

  /**
   * What the wiki answers to a logged-in user. A lost session is opened once more; an answer that
   * was given to a stranger is never passed on.
   */
  async ask(dial: Dial, url: string): Promise<Ended> {
    for (let tries = 0; tries < 2; tries++) {
      const cookies = await this.#open(dial)
      if (!(cookies instanceof SessionCookies)) return cookies
      const answer = await this.#send(dial, cookies, { url: this.#isApi(url) ? asUser(url) : url })
      if (!isAnswer(answer)) return answer
      const isIn = await this.#isStillIn(dial, cookies, { url, answer })
      if (isIn === true) return withoutSecrets(answer)
      if (isIn !== false) return isIn
      if (this.#cookies === cookies) this.#cookies = null
    }
    return this.#fail(loggedOut(this.#logIn.user))
  }

  #isApi(url: string): boolean {
    return url.startsWith(`${this.#logIn.api}?`)
  }

  /** rest.php does not say to whom it answered, so api.php is asked after it. */
  async #isStillIn(
    dial: Dial,
    cookies: SessionCookies,
    { url, answer }: { url: string; answer: FetchAnswer },
  ): Promise<boolean | Ended> {
    if (this.#isApi(url)) return !isLoggedOut(received(answer))
    // The host asks for air: a further question would be one too many, and this answer is no text.
    if (answer.status === 429 || answer.status >= 500) return true
    const checked = await this.#send(dial, cookies, { url: checkUrl(this.#logIn) })
    if (!isAnswer(checked)) return checked
    if (checked.status === 200) return !isLoggedOut(received(checked))
    return checked.status === 429 || checked.status >= 500 ? withoutSecrets(checked) : false
  }

  /** Threads of one host share one log-in. */
  #open(dial: Dial): Promise<SessionCookies | Ended> {
    if (this.#cookies !== null) return Promise.resolve(this.#cookies)
    if (this.#failed !== null && this.#failed.untilMs > this.#clock.monotonicMs()) {
      return Promise.resolve(this.#failed.failure)
    }
    this.#opening ??= this.#logInBy(dial).finally(() => {
      this.#opening = null
    })
    return this.#opening
  }

  async #logInBy(dial: Dial): Promise<SessionCookies | Ended> {
    const cookies = new SessionCookies()
    const first = await this.#send(dial, cookies, tokenRequest(this.#logIn))
    if (!isAnswer(first)) return first
    const read = readToken(received(first), this.#clock.now())
    if ('problem' in read) return this.#fail(read.problem, first.totalMs)
    const second = await this.#send(dial, cookies, logInRequest(this.#logIn, read.token))
    if (!isAnswer(second)) return second
    const { user } = this.#logIn
    const problem = readLogIn(received(second), { user, now: this.#clock.now() })
    if (problem !== null) return this.#fail(problem, second.totalMs)
    this.#cookies = cookies
    return cookies
  }

  #fail(problem: LogInProblem, totalMs = 0): LogInFailure {
    const failure: LogInFailure = { ok: false, ...problem, totalMs }
    this.#failed = { failure, untilMs: this.#clock.monotonicMs() + REMEMBERED_MS }
    return failure
  }

  async #send(
    dial: Dial,
    cookies: SessionCookies,
    asked: Asked,
  ): Promise<FetchOutcome | Undialled> {
    const cookie = cookies.header(asked.url, this.#clock.now())
    const headers: HeaderList = [...(asked.headers ?? []), ...fieldOf(cookie)]
    const answer = await dial({ ...asked, headers })
    if (isAnswer(answer)) cookies.keep(asked.url, answer.rawHeaders, this.#clock.now())
    return answer
  }
}

function fieldOf(cookie: string | null): HeaderList {
  return cookie === null ? [] : [['cookie', cookie]]
}

function isAnswer(ended: Ended): ended is FetchAnswer {
  return typeof ended === 'object' && ended.ok
}

function received({ status, rawHeaders, body, truncated }: FetchAnswer): ReceivedAnswer {
  return { status, headers: rawHeaders, body, truncated }
}

/** A reader of the archive must not be able to use the session. */
function withoutSecrets(answer: FetchAnswer): FetchAnswer {
  const without = (headers: HeaderList, name: string): HeaderList =>
    headers.filter(([field]) => field.toLowerCase() !== name)
  return {
    ...answer,
    requestHeaders: without(answer.requestHeaders, 'cookie'),
    rawHeaders: without(answer.rawHeaders, 'set-cookie'),
  }
}
