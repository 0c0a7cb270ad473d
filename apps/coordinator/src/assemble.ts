/** Puts the parts of a coordinator together: pipeline, live events and server over one store. */
import { randomBytes } from 'node:crypto'
import { PASSWORD_COST, type PasswordCost } from '@minga/fleet'
import type { Resolver } from '@minga/net'
import type { FastifyInstance } from 'fastify'
import { Access, type AccessParts } from './access.ts'
import { Accounts } from './accounts/accounts.ts'
import { RateLimits } from './accounts/rate-limits.ts'
import { sessionCookie } from './accounts/session-cookie.ts'
import { AgentDoor } from './agents/agent-door.ts'
import { DeviceUpkeep } from './agents/device-upkeep.ts'
import { LiveEvents } from './live-events.ts'
import { Pipeline } from './pipeline.ts'
import { BatchCloser } from './requests/close-batches.ts'
import { Pseudonyms } from './requests/pseudonyms.ts'
import { Requests, type RequestSettings } from './requests/requests.ts'
import { RequestWaiters } from './requests/request-waiters.ts'
import { createServer, type ServerOptions } from './server.ts'

type Assembled = 'pipeline' | 'door' | 'live' | 'closing' | 'requests' | 'waiters' | 'clientOf'
type OfAccounts = 'access' | 'accounts' | 'cookie'

export interface AssemblyParts extends Omit<ServerOptions, Assembled | OfAccounts> {
  resolver: Resolver
  requestSettings: RequestSettings
  /** Known to this station only; it keeps volunteers from being followed. */
  secret: string
  readOpenly: AccessParts['readOpenly']
  isInProcess: AccessParts['isInProcess']
  passwordCost?: PasswordCost
  fleet: FleetSettings
}

export interface FleetSettings {
  /** Idle agents whose questions stay open; the rest are told to come back. */
  waitingMax: number
  /** Where an address is, if the operator gave a GeoIP file. */
  countryOf: (address: string) => string | null
  /** A number from 0 up to, not including, 1. */
  random: () => number
  /** How long the row of a request is kept. */
  detailsKeptMs: number
}

export interface Assembly {
  pipeline: Pipeline
  /** Each to be called about once a second. */
  ticking: { tick(): Promise<void> }[]
  live: LiveEvents
  app: FastifyInstance
  /** To be aborted first when the station closes: long polls and streams end at once. */
  closing: AbortController
}

/** Ids of batches: nobody guesses 80 bits. */
const ID_BYTES = 10

export async function assemble(parts: AssemblyParts): Promise<Assembly> {
  const { store, clock, resolver, allowPrivateAddresses } = parts
  const { secret, fleet } = parts
  const guard = { allowPrivateAddresses }
  const pipeline = new Pipeline({
    store,
    clock,
    resolver,
    guard,
    settings: parts.requestSettings,
    secret,
    ...fleet,
  })
  const door = new AgentDoor({ store, clock, secret, countryOf: fleet.countryOf })
  const upkeep = new DeviceUpkeep({ store, clock, detailsKeptMs: fleet.detailsKeptMs })
  const closing = new AbortController()
  const live = new LiveEvents({
    clock,
    readCollections: () => pipeline.statuses(),
    readCaptures: (limit) => store.call('listCaptures', { newestFirst: true, limit }),
    closing: closing.signal,
  })
  const { work, settled } = pipeline
  const requests = new Requests({
    store,
    clock,
    guard,
    settings: parts.requestSettings,
    pseudonyms: new Pseudonyms(secret),
    secret,
    newId: () => randomBytes(ID_BYTES).toString('hex'),
    work,
  })
  const closer = new BatchCloser({
    store,
    clock,
    resolver,
    guard,
    secret,
    viewOf: (id) => requests.status(null, id),
  })
  const waiters = new RequestWaiters({ store, clock, settled, closing: closing.signal })
  const people = accountParts(parts)
  const app = await createServer({
    ...parts,
    ...people,
    pipeline,
    door,
    requests,
    waiters,
    clientOf: (request) => people.access.clientOf(request),
    live,
    closing: closing.signal,
  })
  return { ticking: [pipeline, requests, closer, upkeep], pipeline, live, app, closing }
}

function accountParts(parts: AssemblyParts): Pick<ServerOptions, OfAccounts> {
  const { store, clock, readOpenly, isInProcess, passwordCost = PASSWORD_COST } = parts
  const cookie = sessionCookie(parts.secret, parts.tls !== null)
  return {
    cookie,
    access: new Access({ store, clock, cookie, readOpenly, isInProcess }),
    accounts: new Accounts({ store, clock, limits: new RateLimits(clock), passwordCost }),
  }
}
