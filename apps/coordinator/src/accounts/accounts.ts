/** Registering, logging in and getting back in: passwords are checked here, rows change in the store. */
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import {
  BadLogin,
  COMMON_SHORTEST,
  checkPassword,
  decoyHash,
  hashPassword,
  isOutdated,
  isPassword,
  newId,
  newSecret,
  secretHash,
  type Account,
  type Caller,
  type PasswordCost,
  type Role,
} from '@minga/fleet'
import { z } from 'zod'
import { Forbidden } from '../station/errors.ts'
import { placeOf, type RateLimits } from '../http/request-limits/rate-limits.ts'
import type { Station } from '../station/station.ts'
import { BoundedSemaphore } from './bounded-semaphore.ts'
import type { PasswordTries } from './password-tries.ts'
import type { SecondFactors } from './second-factors.ts'

interface AccountsDeps {
  limits: RateLimits
  tries: PasswordTries
  passwordCost: PasswordCost
  secondFactors: Pick<SecondFactors, 'require'>
}

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** Two weeks of holidays do not log anyone out; a lost laptop is not a key for ever. */
export const SESSION_MS = 14 * DAY_MS
/** Long enough to pass the link on by mail, short enough that a found one is stale. */
const RESET_MS = DAY_MS

/** A school behind one address logs in together; a guesser goes through names from one address. */
export const LOG_INS = { what: 'logging in', burst: 30, everyMs: 10 * SECOND_MS }
const REGISTRATIONS = { what: 'registering', burst: 5, everyMs: 10 * MINUTE_MS }
const RESETS_USED = { what: 'reset links', burst: 10, everyMs: MINUTE_MS }
const RESETS_MADE = { what: 'making reset links', burst: 5, everyMs: 10 * MINUTE_MS }

/** Of what a browser says of itself. */
export const CLIENT_CHARS = 200

export interface LogIn {
  name: string
  password: string
  /** Of the second factor, for accounts that have one. */
  code?: string | null
  address: string
  /** What the browser was given at its last log-in. */
  device?: string | null
  /** The browser as it names itself. */
  client?: string | undefined
}

export interface OpenedSession {
  token: string
  account: Account
  expiresAt: number
}

export interface Registration {
  name: string
  /** Null: a reset link gives the account its first one. */
  password: string | null
  roles: readonly Role[]
}

export class Accounts {
  readonly #station: Station
  readonly #deps: AccountsDeps
  readonly #semaphore = new BoundedSemaphore()
  readonly #decoy: string

  constructor(station: Station, deps: AccountsDeps) {
    this.#station = station
    this.#deps = deps
    this.#decoy = decoyHash(deps.passwordCost)
  }

  /**
   * That a name is taken cannot be hidden where people choose their names and there is no mail to
   * answer by; the limit per address keeps it from becoming a list of who has an account.
   * @param address Null when an operator does it, who is not limited.
   */
  async register(
    wanted: Registration,
    { address, by }: { address: string | null; by: string | null },
  ): Promise<Account> {
    const { store, clock, eventLog } = this.#station
    const { name, password, roles } = wanted
    if (password !== null) await checkChosen(password, name)
    if (address !== null) this.#deps.limits.take(REGISTRATIONS, placeOf(address))
    const passwordHash = password === null ? null : await this.#hash(password)
    const account = { id: newId('acct'), name, passwordHash, roles, now: clock.now() }
    const made = await store.call('registerAccount', { ...account, by: by ?? account.id })
    const details = { name, roles: roles.join(', ') }
    const sentence = `The account ${name} was made (${details.roles}).`
    eventLog.note({ code: 'account:made', subject: made.id, sentence, details, by: by ?? made.id })
    return made
  }

  /** Always a new session: what a browser had before is worth nothing after. */
  async logIn(args: LogIn): Promise<OpenedSession & { device: string }> {
    const { store, clock, eventLog } = this.#station
    const { limits, tries } = this.#deps
    const { name, password } = args
    limits.take(LOG_INS, placeOf(args.address))
    const counted = tries.count(name, { address: args.address, device: args.device ?? null })
    const login = await store.call('findLogin', { name })
    const passwordHash = await this.#verify(password, login?.passwordHash ?? null).catch(
      (error: unknown) => {
        // An unknown name is not recorded: it may be a password typed into the wrong field.
        if (login !== null) {
          const sentence = `A login as ${name} failed: wrong password.`
          eventLog.note({ code: 'account:refused', subject: login.id, sentence, details: { name } })
        }
        throw error
      },
    )
    counted.wasRight()
    const accountId = login!.id
    const named = { accountId, name: login!.name }
    await this.#deps.secondFactors.require(named, args.code ?? null)
    const token = newSecret('session')
    const now = clock.now()
    const expiresAt = now + SESSION_MS
    const hash = secretHash(token)
    const client = args.client?.slice(0, CLIENT_CHARS) ?? null
    await store.call('openSession', { hash, accountId, passwordHash, now, expiresAt, client })
    const sentence = `${name} opened a session.`
    const noted = { subject: accountId, sentence, details: { name }, by: accountId }
    eventLog.note({ code: 'account:logged-in', ...noted })
    await this.#renew({ id: accountId, from: passwordHash, password })
    const account = await store.call('findAccount', { id: accountId })
    return { token, account, expiresAt, device: tries.deviceFor(name) }
  }

  /** Opens a session of the account whose key made the link. */
  async signInByLink(
    args: { link: string } & Omit<LogIn, 'name' | 'password' | 'code' | 'device'>,
  ): Promise<OpenedSession> {
    const { store, clock, eventLog } = this.#station
    this.#deps.limits.take(LOG_INS, placeOf(args.address))
    const token = newSecret('session')
    const now = clock.now()
    const expiresAt = now + SESSION_MS
    const { accountId } = await store.call('signInByLink', {
      hash: secretHash(args.link),
      sessionHash: secretHash(token),
      now,
      expiresAt,
      client: args.client?.slice(0, CLIENT_CHARS) ?? null,
    })
    const account = await store.call('findAccount', { id: accountId })
    const { name } = account
    const sentence = `${name} opened a session.`
    eventLog.note({
      code: 'account:logged-in',
      subject: accountId,
      sentence,
      details: { name },
      by: accountId,
    })
    return { token, account, expiresAt }
  }

  /** The stored hash that the password opens. An unknown name takes as long as a wrong password. */
  async #verify(password: string, stored: string | null): Promise<string> {
    const hash = stored ?? this.#decoy
    const isRight = await this.#semaphore.run(() => isPassword(password, hash))
    if (!isRight || stored === null) throw new BadLogin()
    return stored
  }

  async #renew(args: { id: string; from: string; password: string }): Promise<void> {
    if (!isOutdated(args.from, this.#deps.passwordCost)) return
    const to = await this.#hash(args.password)
    await this.#station.store.call('renewPasswordHash', { id: args.id, from: args.from, to })
  }

  /** This session, all of the account, or all but this one. */
  async logOut(caller: Caller, which: 'this' | 'all' | 'others'): Promise<void> {
    const { store } = this.#station
    const { accountId } = caller
    const own = caller.via.kind === 'session' ? caller.via.hash : ''
    if (which === 'all') await store.call('closeSessions', { accountId })
    else if (which === 'others') await store.call('closeSessions', { accountId, keep: own })
    else if (caller.via.kind === 'session') {
      await store.call('closeSession', { hash: caller.via.hash })
    }
  }

  async changePassword(
    caller: Caller,
    passwords: { current: string; next: string },
  ): Promise<void> {
    const { store, clock, eventLog } = this.#station
    const { accountId, name, via } = caller
    if (via.kind !== 'session') throw Forbidden.byKey('Changing the password')
    await checkChosen(passwords.next, name)
    const from = await this.requirePassword(caller, passwords.current)
    const to = await this.#hash(passwords.next)
    const now = clock.now()
    await store.call('changePassword', { id: accountId, from, to, keepSession: via.hash, now })
    const sentence = 'The password was changed; other sessions and all API keys ended.'
    const noted = { subject: accountId, sentence, details: { ended: 'others' }, by: accountId }
    eventLog.note({ code: 'account:password', ...noted })
  }

  /**
   * Finding an open session does not make a user its owner, so the password is requested. Returns
   * the stored hash that the password matches.
   */
  async requirePassword({ name, via }: Caller, password: string): Promise<string> {
    const { store } = this.#station
    const counted = this.#deps.tries.countInSession(
      name,
      via.kind === 'session' ? via.hash : via.id,
    )
    const login = await store.call('findLogin', { name })
    const hash = await this.#verify(password, login?.passwordHash ?? null)
    counted.wasRight()
    return hash
  }

  /** For some minutes this session may do what takes the password again. */
  async confirm(caller: Caller, password: string): Promise<void> {
    const { store, clock } = this.#station
    const { via } = caller
    if (via.kind !== 'session') throw Forbidden.byKey('Confirming the password')
    const passwordHash = await this.requirePassword(caller, password)
    await store.call('confirmSession', { hash: via.hash, passwordHash, now: clock.now() })
  }

  async makeReset(
    account: string,
    madeBy: string,
  ): Promise<{ accountId: string; name: string; token: string; expiresAt: number }> {
    const { store, clock, eventLog } = this.#station
    this.#deps.limits.take(RESETS_MADE, account.toLowerCase())
    const token = newSecret('reset')
    const now = clock.now()
    const expiresAt = now + RESET_MS
    const reset = { hash: secretHash(token), account, madeBy, now, expiresAt }
    const made = await store.call('createReset', reset)
    const sentence = `A link to a new password of ${made.name} was made.`
    const noted = { subject: made.accountId, sentence, details: { name: made.name }, by: madeBy }
    eventLog.note({ code: 'account:reset', ...noted })
    return { ...made, token, expiresAt }
  }

  async useReset(args: { token: string; password: string; address: string }): Promise<void> {
    const { store, clock, eventLog } = this.#station
    this.#deps.limits.take(RESETS_USED, placeOf(args.address))
    const hash = secretHash(args.token)
    const look = { hash, now: clock.now() }
    const found = await store.call('findReset', look)
    const { accountId, name } = found
    await checkChosen(args.password, name)
    const passwordHash = await this.#hash(args.password)
    await store.call('consumeReset', { hash, passwordHash, now: clock.now() })
    const sentence = 'A link to a new password was used; all sessions and API keys ended.'
    const noted = { subject: accountId, sentence, details: { ended: 'all' }, by: accountId }
    eventLog.note({ code: 'account:password', ...noted })
  }

  #hash(password: string): Promise<string> {
    return this.#semaphore.run(() => hashPassword(password, this.#deps.passwordCost))
  }
}

async function checkChosen(password: string, name: string): Promise<void> {
  checkPassword(password, { name, common: await commonPasswords() })
}

const FILE = import.meta.resolve('@zxcvbn-ts/language-common/src/passwords.json')
const listField = z.array(z.string())

let reading: Promise<ReadonlySet<string>> | undefined

/** In lower case. Without those that are too short to matter: they are refused for their length. */
export function commonPasswords(): Promise<ReadonlySet<string>> {
  return (reading ??= read())
}

async function read(): Promise<ReadonlySet<string>> {
  const list = listField.parse(JSON.parse(await readFile(fileURLToPath(FILE), 'utf8')))
  return new Set(list.filter((password) => password.length >= COMMON_SHORTEST))
}
