/**
 * Log-ins by an OpenID Connect issuer that the operator named: code flow with PKCE, state and nonce. What a log-in needs
 * between its two halves is encrypted and stays in the tab that began it.
 */
import { newId, newSecret, OidcRefused, secretHash, SELF_ROLES, type Caller } from '@minga/fleet'
import type { Configuration } from 'openid-client'
import { z } from 'zod'
import { OidcOff } from '../station/errors.ts'
import { guardedFetch } from '../station/guarded-fetch.ts'
import { CLIENT_CHARS, LOG_INS, SESSION_MS, type OpenedSession } from './accounts.ts'
import { nameField } from './fields.ts'
import { placeOf, type RateLimits } from '../http/request-limits/rate-limits.ts'
import type { Station } from '../station/station.ts'

export interface OidcSettings {
  /** As in `https://login.example.org`. */
  issuer: string
  clientId: string
  /** What the button of the page says after “Log in with”. */
  label: string
}

interface OidcDeps {
  limits: RateLimits
  /** Null: the operator named no issuer. */
  oidc: OidcSettings | null
}

/** Time to log in there. */
const FLOW_MS = 10 * 60_000
const NAMES_TRIED = 20
const NAME_CHARS = 56
/** What a log-in does; for a link: to which account. */
const LOG_IN = 'log-in'
const linkTo = (accountId: string): string => `link ${accountId}`

const flowField = z.object({
  purpose: z.string(),
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  redirectUri: z.string(),
  endsAt: z.number(),
})
type Flow = z.infer<typeof flowField>

export interface BegunLogIn {
  /** Where the browser is to go. */
  url: string
  /** To be sent with what the issuer answers. */
  flow: string
}

/** What the page got back: the flow, and the query of the address that the issuer sent the browser to. */
export interface AnsweredLogIn {
  flow: string
  query: string
}

interface Claims {
  issuer: string
  subject: string
  names: string[]
}

/** Read with the first log-in: most stations have no issuer. */
const library = (): Promise<typeof import('openid-client')> => import('openid-client')

export class Oidc {
  readonly #station: Station
  readonly #deps: OidcDeps
  #configuration: Promise<Configuration> | undefined

  constructor(station: Station, deps: OidcDeps) {
    this.#station = station
    this.#deps = deps
  }

  /** Null without an issuer. */
  get label(): string | null {
    return this.#deps.oidc?.label ?? null
  }

  begin(origin: string): Promise<BegunLogIn> {
    return this.#begin(LOG_IN, origin)
  }

  beginLink({ accountId }: Caller, origin: string): Promise<BegunLogIn> {
    return this.#begin(linkTo(accountId), origin)
  }

  async #begin(purpose: string, origin: string): Promise<BegunLogIn> {
    const { clock, secrets } = this.#station
    const configuration = await this.#configured()
    const oidc = await library()
    const verifier = oidc.randomPKCECodeVerifier()
    const flow: Flow = {
      purpose,
      state: oidc.randomState(),
      nonce: oidc.randomNonce(),
      verifier,
      redirectUri: `${origin}/log-in/answer`,
      endsAt: clock.now() + FLOW_MS,
    }
    const url = oidc.buildAuthorizationUrl(configuration, {
      redirect_uri: flow.redirectUri,
      scope: 'openid profile',
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state: flow.state,
      nonce: flow.nonce,
    })
    return { url: url.href, flow: secrets.seal(JSON.stringify(flow)) }
  }

  async logIn(
    args: AnsweredLogIn & { address: string; client?: string | undefined },
  ): Promise<OpenedSession> {
    const { store, clock, eventLog, settings } = this.#station
    this.#deps.limits.take(LOG_INS, placeOf(args.address))
    const claims = await this.#claims(args, LOG_IN)
    const { issuer, subject } = claims
    if (settings.current().oidcRegistration === 'on') await this.#register(claims)
    const token = newSecret('session')
    const now = clock.now()
    const expiresAt = now + SESSION_MS
    const { accountId } = await store.call('openIdentitySession', {
      issuer,
      subject,
      sessionHash: secretHash(token),
      now,
      expiresAt,
      client: args.client?.slice(0, CLIENT_CHARS) ?? null,
    })
    const account = await store.call('findAccount', { id: accountId })
    const { name } = account
    const sentence = `${name} opened a session.`
    const noted = { subject: accountId, sentence, details: { name }, by: accountId }
    eventLog.note({ code: 'account:logged-in', ...noted })
    return { token, account, expiresAt }
  }

  async #register({ issuer, subject, names }: Claims): Promise<void> {
    const { store, clock, eventLog } = this.#station
    const id = newId('acct')
    const roles = SELF_ROLES
    const wanted = { issuer, subject, id, names, roles, now: clock.now() }
    if (!(await store.call('registerIdentity', wanted))) return
    const { name } = await store.call('findAccount', { id })
    const details = { name, roles: roles.join(', ') }
    const sentence = `The account ${name} was made (${details.roles}).`
    eventLog.note({ code: 'account:made', subject: id, sentence, details, by: id })
  }

  async link({ accountId, name }: Caller, answered: AnsweredLogIn): Promise<void> {
    const { store, clock, eventLog } = this.#station
    const { issuer, subject } = await this.#claims(answered, linkTo(accountId))
    await store.call('linkIdentity', { issuer, subject, accountId, now: clock.now() })
    const sentence = `${name} logs in by an issuer as well from now on.`
    const noted = { subject: accountId, sentence, details: { name }, by: accountId }
    eventLog.note({ code: 'account:linked', ...noted })
  }

  async unlink({ accountId }: Caller, id: string): Promise<void> {
    const { store, clock } = this.#station
    await store.call('unlinkIdentity', { accountId, id, now: clock.now() })
  }

  /** What the issuer signed for exactly this log-in. */
  async #claims({ flow: sealed, query }: AnsweredLogIn, purpose: string): Promise<Claims> {
    const flow = this.#openFlow(sealed, purpose)
    const configuration = await this.#configured()
    const oidc = await library()
    const back = new URL(flow.redirectUri)
    back.search = query
    try {
      const tokens = await oidc.authorizationCodeGrant(configuration, back, {
        pkceCodeVerifier: flow.verifier,
        expectedState: flow.state,
        expectedNonce: flow.nonce,
        idTokenExpected: true,
      })
      const claims = tokens.claims()!
      return { issuer: claims.iss, subject: claims.sub, names: namesFor(claims) }
    } catch (cause) {
      throw new OidcRefused({ cause })
    }
  }

  #openFlow(sealed: string, purpose: string): Flow {
    const { secrets, clock } = this.#station
    let flow: Flow
    try {
      // What was not encrypted here opens as it is, and must not count.
      if (!secrets.isSealed(sealed)) throw new OidcRefused()
      flow = flowField.parse(JSON.parse(secrets.open(sealed)))
    } catch (cause) {
      throw new OidcRefused({ cause })
    }
    if (flow.purpose !== purpose || flow.endsAt <= clock.now()) throw new OidcRefused()
    return flow
  }

  /** An issuer that could not be read is asked again by the next log-in. */
  async #configured(): Promise<Configuration> {
    const { oidc } = this.#deps
    if (oidc === null) throw new OidcOff()
    this.#configuration ??= this.#discover(oidc)
    try {
      return await this.#configuration
    } catch (cause) {
      this.#configuration = undefined
      throw new OidcRefused({ cause })
    }
  }

  async #discover({ issuer, clientId }: OidcSettings): Promise<Configuration> {
    const { secrets } = this.#station
    const oidc = await library()
    const url = new URL(issuer)
    const { oidcClientSecret: secret } = secrets
    const authentication = secret === null ? oidc.None() : oidc.ClientSecretBasic(secret)
    // Signatures are checked although the token comes from the issuer directly.
    const execute = [oidc.enableNonRepudiationChecks]
    // The settings accept http on this machine alone.
    if (url.protocol === 'http:') execute.push(oidc.allowInsecureRequests)
    return oidc.discovery(url, clientId, undefined, authentication, {
      execute,
      [oidc.customFetch]: (address, { method, headers, body }) =>
        guardedFetch(this.#station, address, { method, headers, body: textOf(body) }),
    })
  }
}

/** The library sends forms. */
function textOf(body: unknown): string | null {
  if (body === null || body === undefined) return null
  if (typeof body === 'string') return body
  if (body instanceof URLSearchParams) return body.toString()
  throw new TypeError('The body of a call to an issuer is neither text nor a form.')
}

/** Names that the account may have: what the person is called there, with a number, or by chance. */
function namesFor(claims: Readonly<Record<string, unknown>>): string[] {
  const wanted = claims['preferred_username']
  const plain = typeof wanted === 'string' ? wanted.replaceAll(/[^\w.@+-]/g, '') : ''
  const name = plain.slice(0, NAME_CHARS)
  const numbered = Array.from({ length: NAMES_TRIED - 1 }, (_, i) => `${name}-${i + 2}`)
  const random = `oidc-${newId('acct').slice('acct_'.length)}`
  const isGood = nameField.safeParse(name).success
  return isGood ? [name, ...numbered, random] : [random]
}
