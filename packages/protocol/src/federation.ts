/**
 * What stations that collect together say to one another: over HTTPS, every call signed by its
 * station (station-proof below), bodies as JSON in one zstd frame.
 *
 *   join     an invited station becomes a member; signed with the key that it brings. A station that cannot admit it names one that can
 *   renew    every two seconds: what I have to do; the right to dial for ten seconds, and what is new
 *   claim    hosts without an owner, with their addresses: the registrar gives each an owner
 *   batch    URLs, journals and handovers from station to station
 *   graph    pages and links by host, for the registrar's plans
 *   leave    a member goes; promoted   there is another registrar now, as it has signed; operators confirm it
 *   state    who is the registrar, in which term: any member may ask
 *   owner    whose a host is, since when and why: of the registrar
 */
import { createHash } from 'node:crypto'
import { z } from 'zod'

/** Where a call says who calls whom, when, and that it is really them. */
export const STATION_HEADERS = {
  from: 'minga-station',
  to: 'minga-to',
  time: 'minga-time',
  nonce: 'minga-nonce',
  /** The digest of the body: by it the signature is checked before the body is received. */
  digest: 'minga-body-digest',
  signature: 'minga-signature',
} as const

export interface StationCall {
  method: string
  path: string
  from: string
  /** Named, so that a call that was overheard says nothing to another station. */
  to: string
  timeMs: number
  nonce: string
  body: Uint8Array
}

/** As hex digits, which is how a call names it. */
export function bodyDigest(body: Uint8Array): string {
  return createHash('sha256').update(body).digest('hex')
}

/** What a station signs: all that a call says, of its body the digest. */
export function stationProof(call: Omit<StationCall, 'body'> & { digest: string }): Buffer {
  const { method, path, from, to, timeMs, nonce, digest } = call
  return Buffer.from(
    ['minga station', method, path, from, to, String(timeMs), nonce, digest].join('\n'),
  )
}

/** What a station signs that was promoted: no other can name it the registrar, and not of another term. */
export function promotionProof({ registrar, term }: { registrar: string; term: number }): Buffer {
  return Buffer.from(['minga promotion', registrar, String(term)].join('\n'))
}

/** A station's id is derived from its key, so no station can take another's. */
export function stationIdOf(publicKey: string): string {
  return `st_${createHash('sha256').update(publicKey).digest('hex').slice(0, STATION_ID_DIGITS)}`
}

const STATION_ID_DIGITS = 20

const NAME_LENGTH_MAX = 100
const HOST_LENGTH_MAX = 255
const URL_LENGTH_MAX = 8_192
/** A chain of certificates is a few KB. */
const CA_LENGTH_MAX = 100_000
/** A claim is answered in one transaction. */
export const CLAIMS_MAX = 1_000
/** Rows of the map in one answer: about a megabyte before it is compressed. */
export const MAP_ROWS_MAX = 10_000
const COLLECTIONS_MAX = 10_000
const HOT_URLS_MAX = 1_000
const STATIONS_MAX = 10_000

const count = z.number().int().min(0)
const stationId = z.string().min(1).max(NAME_LENGTH_MAX)
const capacity = z.number().min(0).max(1e9)
const ca = z.string().max(CA_LENGTH_MAX).nullable()

/** Federations inside one another: more than a world of institutions has. */
export const BRANCH_LEVELS_MAX = 8
const BRANCH_NAME = /^[\p{Ll}\p{Lo}\p{Nd}][\p{Ll}\p{Lo}\p{M}\p{Nd}._-]{0,39}$/u

/** Names from the outermost federation in, as in pt/lisbon; '' stands directly below the root. */
export function isBranch(text: string): boolean {
  const names = text.split('/')
  return (
    text === '' ||
    (names.length <= BRANCH_LEVELS_MAX && names.every((name) => BRANCH_NAME.test(name)))
  )
}

const branch = z.string().refine(isBranch, 'no branch of a federation')

export const ROUTING_MODES = ['hash', 'hold'] as const
/** Where URLs of hosts without an owner go: by rendezvous, or nowhere until that is decided. */
export type RoutingMode = (typeof ROUTING_MODES)[number]

const federatedStation = z.object({
  id: stationId,
  name: z.string().max(NAME_LENGTH_MAX),
  url: z.string().max(URL_LENGTH_MAX),
  publicKey: z.string(),
  /** Certificates in PEM that this station's own is to be trusted by, besides the usual ones. */
  ca,
  branch,
  capacity,
  state: z.enum(['active', 'lost', 'left']),
  /** Who keeps its journal. */
  keeper: stationId.nullable(),
})
export type FederatedStation = z.infer<typeof federatedStation>

const mapRow = z.object({
  host: z.string().min(1).max(HOST_LENGTH_MAX),
  station: stationId,
  /** Whose handover the owner has to await. */
  awaits: stationId.nullable(),
  address: z.string().max(NAME_LENGTH_MAX).nullable(),
  epoch: count,
})
/** A host, its owner, and when that last changed. */
export type MapRow = z.infer<typeof mapRow>

export const joinMessage = z.object({
  token: z.string().min(1).max(URL_LENGTH_MAX),
  name: z.string().min(1).max(NAME_LENGTH_MAX),
  url: z.string().min(1).max(URL_LENGTH_MAX),
  publicKey: z.string().min(1).max(NAME_LENGTH_MAX),
  ca,
  branch,
  capacity,
})
export type JoinMessage = z.infer<typeof joinMessage>

/** What a member receives about its federation. */
const federationFacts = z.object({
  registrar: stationId,
  term: count,
  mode: z.enum(ROUTING_MODES),
  stations: z.array(federatedStation),
})
export type FederationFacts = z.infer<typeof federationFacts>

const joinAnswer = federationFacts.extend({ id: stationId })
export type JoinAnswer = z.infer<typeof joinAnswer>

/** Not here: the registrar lets stations in. */
const askInstead = z.object({ ask: federatedStation.pick({ name: true, url: true, ca: true }) })
export type AskInstead = z.infer<typeof askInstead>

export const joinReply = z.union([joinAnswer, askInstead])

/** Of a collection that stations gather together, under the same identity everywhere. */
const collectionReport = z.object({
  identity: z.string().max(NAME_LENGTH_MAX),
  queued: count,
  leased: count,
  outbox: count,
  /** How many URLs have ever arrived from others: it grows as long as there is any exchange. */
  arrived: count,
  pages: count,
})
export type CollectionReport = z.infer<typeof collectionReport>

/** URLs between this station and another, since it was started. */
const peerExchange = z.object({ station: stationId, sent: count, received: count })
export type PeerExchange = z.infer<typeof peerExchange>

export const stationReport = z.object({
  collections: z.array(collectionReport).max(COLLECTIONS_MAX),
  /** URLs that keep arriving although they are known. */
  hot: z.array(z.string().max(URL_LENGTH_MAX)).max(HOT_URLS_MAX),
  /** Agents that are ready to work. */
  agents: count,
  /** Hosts whose handover has arrived. */
  settled: z.array(z.string().max(HOST_LENGTH_MAX)).max(MAP_ROWS_MAX).default([]),
  /** URLs that were found for this station's own hosts, and what it exchanged with each other one. */
  exchange: z
    .object({ kept: count, peers: z.array(peerExchange).max(STATIONS_MAX) })
    .default({ kept: 0, peers: [] }),
  /** The median of what its hosts took to answer lately; null while there are too few. */
  waitMs: z.number().min(0).nullable().default(null),
})
export type StationReport = z.infer<typeof stationReport>

export const renewMessage = z.object({
  term: count,
  /** Whose term that is: two may have been promoted at once. */
  under: stationId,
  /** What the map was when that term began. */
  since: count,
  /** Up to here the member has the map. */
  epoch: count,
  capacity,
  report: stationReport,
  /** The latest round that the member has received: see termination-detector.ts at the registrar. */
  round: count,
  /** Something is on its way from here, or still to be sent again: nothing has ended yet. */
  isBusy: z.boolean(),
  /** It is about to leave: its hosts go to others. */
  isLeaving: z.boolean(),
  /** When they differ from what the registrar sends about this member. */
  self: z
    .object({ name: z.string().min(1).max(NAME_LENGTH_MAX), url: z.string(), ca, branch })
    .nullable(),
  /** After a promotion: what a member knows that the new registrar may not. */
  known: z.object({ rows: z.array(mapRow).max(MAP_ROWS_MAX), isAll: z.boolean() }).nullable(),
})
export type RenewMessage = z.infer<typeof renewMessage>

export const renewAnswer = federationFacts.extend({
  /** From when the renewal was sent; 0: no right to dial yet. */
  leaseMs: count,
  /**
   * Under a registrar that was promoted: `tell` what you know of the map after `since`, and `wait`
   * until all have done so; then it is `settled`.
   */
  standing: z.enum(['tell', 'wait', 'settled']),
  /** Drop what you have of the map from after this epoch before you take these rows. */
  rewindTo: count.nullable(),
  /** What the map was when this term began. */
  since: count,
  rows: z.array(mapRow),
  /** Up to here the map is known with these rows. */
  epoch: count,
  /** There are more rows: ask again at once. */
  more: z.boolean(),
  round: count,
  /** Identities of collections that are done everywhere. */
  finished: z.array(z.string()),
  hot: z.array(z.string()),
})
export type RenewAnswer = z.infer<typeof renewAnswer>

const hostClaim = z.object({
  host: z.string().min(1).max(HOST_LENGTH_MAX),
  address: z.string().max(NAME_LENGTH_MAX).nullable(),
  pages: count,
  /** Hosts it is linked with, and how often. */
  links: z.array(z.object({ host: z.string().max(HOST_LENGTH_MAX), count })).max(CLAIMS_MAX),
  /** It has work that cannot move: it gets the host unless another station has its address. */
  wants: z.boolean().default(false),
})
export type HostClaim = z.infer<typeof hostClaim>

export const claimMessage = z.object({
  term: count,
  claims: z.array(hostClaim).max(CLAIMS_MAX),
})
export type ClaimMessage = z.infer<typeof claimMessage>

export const claimAnswer = z.object({ rows: z.array(mapRow) })
export type ClaimAnswer = z.infer<typeof claimAnswer>

const host = z.string().min(1).max(HOST_LENGTH_MAX)
const GRAPH_ENTRIES_MAX = 100_000

export const graphMessage = z.object({
  /** Who counted; one that comes twice counts once, by its number. */
  source: z.string().min(1).max(NAME_LENGTH_MAX),
  sequence: count,
  pages: z.array(z.tuple([host, count])).max(GRAPH_ENTRIES_MAX),
  links: z.array(z.tuple([host, host, count])).max(GRAPH_ENTRIES_MAX),
})
export type GraphMessage = z.infer<typeof graphMessage>

/** By the promoted station; null: an unsigned claim, which counts for nothing. */
const signature = z.string().max(NAME_LENGTH_MAX).nullable().default(null)

export const promotedMessage = federationFacts
  .pick({ registrar: true, term: true })
  .extend({ signature })
export type PromotedMessage = z.infer<typeof promotedMessage>

export const federationState = z.object({
  station: stationId,
  registrar: stationId,
  term: count,
  epoch: count,
  /** Of the station that answers, when it is a registrar that was promoted. */
  signature,
})
export type FederationState = z.infer<typeof federationState>

export const ownerQuestion = z.object({ host })

/**
 * By what a host has its owner: the hosts were divided by a `plan`; it was `placed` when its owner was first asked for;
 * it was `handed-on` when a station was lost or left; by the `map`, which does not say more. What the map does not
 * know goes by `hash`, or is `held`.
 */
const OWNER_RULES = ['plan', 'placed', 'handed-on', 'map', 'hash', 'held'] as const

export const ownerFacts = z.object({
  /** Null: no owner yet. */
  station: stationId.nullable(),
  /** In which the map last changed for it; null: it is not in the map. */
  epoch: count.nullable(),
  rule: z.enum(OWNER_RULES),
  address: z.string().max(NAME_LENGTH_MAX).nullable(),
  /** Whose handover the owner has to await. */
  awaits: stationId.nullable(),
})
export type OwnerFacts = z.infer<typeof ownerFacts>

/** What an operator sees of a host. */
export interface HostOwner extends Pick<OwnerFacts, 'epoch' | 'address' | 'awaits'> {
  host: string
  /** `alone`: the station is in no federation. */
  rule: OwnerFacts['rule'] | 'alone'
  owner: Pick<FederatedStation, 'id' | 'name' | 'url'> | null
  /** It belongs to the station that was asked. */
  isHere: boolean
  /** The federations inside the federation that it was given through, from the outermost in. */
  branches: string[]
  /** The filter of the requested station does not want it, whichever station owns it. */
  isUnwanted: boolean
  knownBy: 'registrar' | 'own-map'
  sentence: string
}

/** What an operator sees of it. */
export type FederationStatus =
  | { isFederated: false; url: string | null }
  | {
      isFederated: true
      /** Where others reach this station. */
      url: string | null
      id: string
      role: 'registrar' | 'member'
      registrar: string
      term: number
      /** A station that was promoted, and whom this one does not follow until its operator has confirmed it. */
      promotion: { registrar: string; name: string; term: number } | null
      epoch: number
      mode: RoutingMode
      mayDial: boolean
      leaseLeftMs: number
      /** Hosts that are this station's, and those that wait for an owner or for a handover. */
      owned: number
      held: number
      /** Hosts that are still to be handed over. */
      handovers: number
      /** Batches of other stations' journals. */
      kept: number
      /** What has gone to others since the station started, and what came. */
      exchange: { batches: number; rows: number; bytes: number; received: number }
      /** URLs alone, by station. */
      peers: PeerExchange[]
      /** At the registrar: the share of found URLs that were sent to other stations lately, and the mean of the
       * stations' median waits. Null while too little is known. */
      measured: { exchangeShare: number | null; latencyMs: number | null } | null
      /** Rows on their way, by station. */
      outbox: Record<string, number>
      stations: Pick<
        FederatedStation,
        'id' | 'name' | 'url' | 'branch' | 'capacity' | 'state' | 'keeper'
      >[]
    }
