/**
 * Identifies callers and decides what they may do. People present a session (a cookie together with
 * the page's token, or a Bearer token), programs an API key (a Bearer token); the table of rights
 * is `permissions.ts` in @minga/fleet. Every route below /api names its action with `may`; a route
 * that names none rejects callers who are not authenticated. Agents are not accounts and
 * authenticate separately.
 */
import type { ServerResponse } from 'node:http'
import {
  OPEN_ON_LOOPBACK,
  OPERATOR,
  PERMISSIONS,
  reachOf,
  secretHash,
  type Action,
  type Caller,
  type Reach,
} from '@minga/fleet'
import { isMingaError, type MingaError } from '@minga/protocol'
import type { Calls, Store } from '@minga/store'
import type { FastifyRequest } from 'fastify'
import { ticketIn } from './download-tickets.ts'
import { PAGE_TOKEN_HEADER, type PageTokens } from './page-tokens.ts'
import { readCookies, sessionIdleMs, type SessionCookie } from './session-cookie.ts'
import { ForeignBrowser, Forbidden, NotAllowed, StaleTicket } from '../station/errors.ts'
import { isForwarded } from '../http/request-limits/forwarded.ts'
import { ViewedStore } from './visibility/read-as.ts'
import type { Viewer } from './visibility/viewer.ts'
import type { Operations } from '../station/station-operations.ts'
import type { Station } from '../station/station.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What calling the route is, in the table of rights. */
    action?: Action
    /** Anyone may call it; it looks for itself. */
    isPublic?: boolean
    /** It reads by `storeFor` alone: callers whom the station does not know find what is public. */
    showsPublic?: boolean
  }
}

/** What every route is given: the station, and who may call it. */
export interface RouteContext extends Station {
  access: Access
}

interface AccessDeps {
  cookie: SessionCookie
  pageTokens: PageTokens
  /**
   * True when the server does not listen on a port: the caller runs in this process and is its
   * operator.
   */
  isInProcess: boolean
}

export interface Grant {
  accountId: string
  reach: Reach
}

interface Standing {
  caller: Caller | null
  /** The hash of what they showed. */
  credential?: string
  /** The hash of what a ticket was made with. */
  madeWith?: string
  /** Why what they showed does not count; null when they showed nothing. */
  refusal: MingaError | null
}

/**
 * A program that calls a thousand times a second costs one query of the store in this time. A
 * revoked key or session works as long, at most, on other coordinators; on this one it ends at
 * once.
 */
const KNOWN_MS = 5_000
const KNOWN_MOST = 10_000

/** How long a stream continues, at most, after its reader lost the right to it. */
const STREAM_CHECK_MS = 60_000

const NOBODY: Standing = { caller: null, refusal: null }

/** The options of a route that does this. */
export function may(action: Action): { config: { action: Action } } {
  return { config: { action } }
}

/** The same of a route that reads nothing but by `storeFor`: what is public is read there without a log-in. */
export function mayOrPublic(action: Action): { config: { action: Action; showsPublic: true } } {
  return { config: { action, showsPublic: true } }
}

export class Access {
  readonly #station: Station
  readonly #deps: AccessDeps
  readonly #met = new WeakMap<FastifyRequest, Standing>()
  #changes = 0
  readonly #asked = new Map<string, Promise<Standing>>()
  readonly #known = new Map<string, { caller: Caller; untilMs: number }>()

  constructor(station: Station, deps: AccessDeps) {
    this.#station = station
    this.#deps = deps
  }

  /** Before every route below /api, and before its body is read. */
  async meet(request: FastifyRequest): Promise<void> {
    const standing = await this.#standingOf(request)
    this.#met.set(request, standing)
    const { caller } = standing
    if (caller !== null) {
      request.becomesKnown?.()
      const { accountId: account, via } = caller
      request.knownAs = { account, credential: via.kind === 'key' ? via.id : via.hash }
    }
    const { action, isPublic, showsPublic } = request.routeOptions.config
    if (isPublic) return
    const isStranger = standing.caller === null && standing.refusal === null
    if (showsPublic && isStranger && !this.#isOpen(request, action!)) {
      return this.#requirePublic(request, action!)
    }
    if (action === undefined) {
      if (!this.#isOpenTo(request) || !isReading(request)) this.requireCaller(request, 'This')
    } else if (!this.#isOpen(request, action)) this.requireAction(request, action)
  }

  /** Where nothing is public, a caller without a login gets an error that one is needed. */
  async #requirePublic(request: FastifyRequest, action: Action): Promise<void> {
    if (!(await this.#station.store.call('hasPublic', {}))) this.requireAction(request, action)
  }

  /** What a proxy on this machine passes on may be from anywhere. */
  #isOpenTo(request: FastifyRequest): boolean {
    return this.#station.readOpenly && !isForwarded(request)
  }

  #isOpen(request: FastifyRequest, action: Action): boolean {
    return this.#isOpenTo(request) && OPEN_ON_LOOPBACK.has(action)
  }

  async #standingOf(request: FastifyRequest): Promise<Standing> {
    if (this.#deps.isInProcess) return { caller: IN_PROCESS, refusal: null }
    const bearer = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1]
    if (bearer !== undefined) return this.#holderOf(secretHash(bearer))
    const ticket = ticketIn(request)
    if (ticket !== null) {
      // It is no parameter of what is asked.
      Reflect.deleteProperty(Object(request.query), 'ticket')
      return this.#holderOfTicket(ticket)
    }
    const cookies = readCookies(request.headers.cookie, this.#deps.cookie.name)
    if (cookies.length === 0) return NOBODY
    const session = this.#sessionIn(cookies, request)
    if (session === null) return { caller: null, refusal: ForeignBrowser.byCookie() }
    return this.#holderOf(secretHash(session))
  }

  /**
   * A browser sends the cookie with whatever a page makes it send. Of another site's it does not
   * (SameSite), but another port of this machine counts as the same site: hence the token, which
   * scripts of our own origin alone can read and send, and for what changes something the Origin,
   * which the guard of browsers has found to be our own.
   */
  #sessionIn(cookies: readonly string[], request: FastifyRequest): string | null {
    const shown = request.headers[PAGE_TOKEN_HEADER]
    if (typeof shown !== 'string') return null
    if (!isReading(request) && request.headers.origin === undefined) return null
    return cookies.find((session) => this.#deps.pageTokens.isOf(session, shown)) ?? null
  }

  /**
   * The account behind a ticket is looked up every time, so a ticket of a revoked session or key
   * opens nothing.
   */
  async #holderOfTicket(ticket: { hash: string; address: string }): Promise<Standing> {
    const { store, clock } = this.#station
    const spent = { ...ticket, now: clock.now() }
    const credential = await store.call('spendTicket', spent)
    if (credential === null) return { caller: null, refusal: new StaleTicket() }
    const { caller, refusal } = await this.#holderOf(credential)
    // A ticket buys no further ticket.
    return { caller, refusal, madeWith: credential }
  }

  async #holderOf(hash: string): Promise<Standing> {
    const { clock } = this.#station
    const now = clock.now()
    const known = this.#known.get(hash)
    if (
      known !== undefined &&
      known.untilMs > clock.monotonicMs() &&
      known.caller.expiresAt > now
    ) {
      return { caller: known.caller, refusal: null, credential: hash }
    }
    this.#known.delete(hash)
    // A thousand calls that come together ask once.
    const asked = this.#asked.get(hash) ?? this.#ask(hash, now)
    this.#asked.set(hash, asked)
    return asked.finally(() => this.#asked.delete(hash))
  }

  async #ask(hash: string, now: number): Promise<Standing> {
    const changes = this.#changes
    try {
      const caller = await this.#lookUp(hash, { now, isUse: true })
      // An answer that was read before a change of rights must not be cached.
      if (caller !== null && changes === this.#changes) this.#remember(hash, caller)
      return { caller, refusal: null, credential: hash }
    } catch (error) {
      if (!isMingaError(error) || !KEY_REFUSALS.has(error.code)) throw error
      return { caller: null, refusal: error }
    }
  }

  #lookUp(hash: string, how: { now: number; isUse: boolean }): Promise<Caller | null> {
    const args = { hash, ...how, idleMs: sessionIdleMs(this.#station.settings) }
    return this.#station.store.call('findCaller', args)
  }

  #remember(hash: string, caller: Caller): void {
    for (const oldest of this.#known.keys()) {
      if (this.#known.size < KNOWN_MOST) break
      this.#known.delete(oldest)
    }
    this.#known.set(hash, { caller, untilMs: this.#station.clock.monotonicMs() + KNOWN_MS })
  }

  /** Rights have changed on this station, so every caller is looked up again. */
  forget(): void {
    this.#changes++
    this.#known.clear()
    this.#asked.clear()
  }

  callerOf(request: FastifyRequest): Caller | null {
    return this.#met.get(request)?.caller ?? null
  }

  requireCaller(request: FastifyRequest, what: string): Caller {
    const { caller, refusal } = this.#met.get(request) ?? NOBODY
    if (caller === null) throw refusal ?? new NotAllowed(what)
    return caller
  }

  /** A person who logged in: what concerns how they do is no program's business. */
  requireSession(request: FastifyRequest, what: string): Caller {
    const caller = this.requireCaller(request, what)
    if (caller.via.kind !== 'session') throw Forbidden.byKey(what)
    return caller
  }

  /** The hash of what the caller showed, by which they can be found again. */
  requireCredential(request: FastifyRequest, what: string): string {
    this.requireCaller(request, what)
    const { credential } = this.#met.get(request) ?? NOBODY
    if (credential === undefined) throw new NotAllowed(what)
    return credential
  }

  /**
   * An answer that lasts for hours outlives the rights of its reader: the signal aborts within a
   * minute after they lost the right, and when they disconnect.
   */
  whileAllowed(request: FastifyRequest, raw: ServerResponse, action: Action): AbortSignal {
    const ended = new AbortController()
    raw.once('close', () => ended.abort())
    const { caller, credential, madeWith } = this.#met.get(request) ?? NOBODY
    const hash = credential ?? madeWith
    if (caller === null || hash === undefined || this.#isOpen(request, action)) return ended.signal
    const right = { hash, action, reach: reachFor(caller, action) }
    void this.#checkEachMinute(right, ended)
    return ended.signal
  }

  async #checkEachMinute(right: ShownRight, ended: AbortController): Promise<void> {
    for (;;) {
      await this.#station.clock.sleep(STREAM_CHECK_MS, ended.signal)
      if (ended.signal.aborted) return
      // A store that does not answer has not revoked any rights.
      const isAllowed = await this.#isStillAllowed(right).catch(() => true)
      if (!isAllowed) return ended.abort()
    }
  }

  async #isStillAllowed({ hash, action, reach }: ShownRight): Promise<boolean> {
    try {
      const caller = await this.#lookUp(hash, { now: this.#station.clock.now(), isUse: false })
      const now = caller === null ? null : reachFor(caller, action)
      return now !== null && (now === 'all' || now === reach)
    } catch (error) {
      if (isMingaError(error) && KEY_REFUSALS.has(error.code)) return false
      throw error
    }
  }

  requireAction(request: FastifyRequest, action: Action): Grant {
    const { what } = PERMISSIONS[action]
    const caller = this.requireCaller(request, what)
    const reach = reachOf(caller.roles, action)
    if (reach === null) throw Forbidden.byRole(what, action)
    if (caller.scopes !== null && !caller.scopes.includes(action)) {
      throw Forbidden.byScope(what, action)
    }
    return { accountId: caller.accountId, reach }
  }

  hasRight(request: FastifyRequest, action: Action): boolean {
    const caller = this.callerOf(request)
    return caller !== null && reachFor(caller, action) !== null
  }

  /** Has the right, or needs none here. */
  isAllowed(request: FastifyRequest, action: Action): boolean {
    return this.#isOpen(request, action) || this.hasRight(request, action)
  }

  /** As whom the store is to be read for this request; null: operators see everything. */
  viewerOf(request: FastifyRequest): Viewer | null {
    const caller = this.callerOf(request)
    if (caller === null) return { account: null, isReader: this.#isOpenTo(request) }
    if (caller.roles.includes(OPERATOR)) return null
    const isReader = [...OPEN_ON_LOOPBACK].some((action) => this.isAllowed(request, action))
    return { account: caller.accountId, isReader }
  }

  /** All of it, for questions that say themselves for whom they are. */
  get wholeStore(): Calls<Operations> {
    return this.#station.store
  }

  /** The store as this request may read it. */
  storeFor(request: FastifyRequest): Store<Operations> {
    const viewer = this.viewerOf(request)
    return viewer === null ? this.#station.store : new ViewedStore(this.#station.store, viewer)
  }

  /** Whose things the caller may do this to; null: everyone's. */
  ownerFor(request: FastifyRequest, action: Action): string | null {
    const { accountId, reach } = this.requireAction(request, action)
    return reach === 'all' ? null : accountId
  }

  /** Whose requests these are. */
  clientOf(request: FastifyRequest): string {
    const action = isReading(request) ? 'requests:read' : 'requests:send'
    return this.requireAction(request, action).accountId
  }
}

/** What a stream was begun with. */
interface ShownRight {
  hash: string
  action: Action
  reach: Reach | null
}

/** By roles and scopes together; null: not at all. */
function reachFor({ roles, scopes }: Caller, action: Action): Reach | null {
  return scopes === null || scopes.includes(action) ? reachOf(roles, action) : null
}

const KEY_REFUSALS: ReadonlySet<string> = new Set(['MINGA_KEY_REVOKED', 'MINGA_KEY_EXPIRED'])

const IN_PROCESS: Caller = {
  accountId: OPERATOR,
  name: OPERATOR,
  roles: [OPERATOR],
  scopes: null,
  via: { kind: 'key', id: 'in-process' },
  expiresAt: Number.MAX_SAFE_INTEGER,
}

function isReading({ method }: FastifyRequest): boolean {
  return method === 'GET' || method === 'HEAD'
}
