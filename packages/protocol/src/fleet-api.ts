/** What a station's API answers about people, devices, money and settings. */
import type { Instant } from './clock.ts'

export interface AccountView {
  readonly id: string
  readonly name: string
  readonly roles: readonly string[]
  readonly createdAt: Instant
  readonly hasPassword: boolean
}

/** Who calls, and what they may do. */
export interface Me {
  readonly account: AccountView
  readonly via: 'session' | 'key'
  readonly actions: readonly string[]
  /** The name on the leaderboard; null: not named. */
  readonly boardName: string | null
  /** The confirmed e-mail address; null: none. */
  readonly email: string | null
}

export interface SecondFactorView {
  /** Since when log-ins by password need a code; null: they need none. */
  readonly since: number | null
  /** Recovery codes that were not used yet. */
  readonly recoveryCodes: number
}

export interface PasskeyView {
  /** Of the credential, base64url. */
  readonly id: string
  readonly name: string
  /** The device copies it to others of its owner. */
  readonly isSynced: boolean
  readonly createdAt: number
  readonly usedAt: number | null
}

/** The identity of an account at an OpenID Connect issuer. */
export interface IdentityView {
  id: string
  issuer: string
  createdAt: number
  usedAt: number | null
}

/** How people may get in, besides name and password. */
export interface LogInOptions {
  /** Who forgot their password may request a link by e-mail. */
  readonly resetsByMail: boolean
  /** At this address of the station browsers can have passkeys. */
  readonly passkeys: boolean
  /** The issuer by which people log in, as a button calls it; null: none. */
  readonly oidc: string | null
}

/** A log-in that has not ended, as its owner sees it. */
export interface SessionView {
  /** Names it; it gives no access. */
  id: string
  /** The browser or program as it names itself. */
  client: string | null
  createdAt: number
  seenAt: number | null
  expiresAt: number
  /** The one that asks. */
  isThis: boolean
}

export interface KeyView {
  readonly id: string
  readonly accountId: string
  readonly name: string
  /** Null: whatever the account may do. */
  readonly scopes: readonly string[] | null
  readonly createdAt: Instant
  readonly expiresAt: Instant | null
  readonly revokedAt: Instant | null
  readonly replacedBy: string | null
  readonly lastUsedAt: Instant | null
}

export interface JoinTokenRow {
  readonly id: string
  readonly owner: string
  readonly isReusable: boolean
  readonly isTrusted: boolean
  readonly createdAt: Instant
  readonly expiresAt: Instant | null
  readonly usedAt: Instant | null
  readonly revokedAt: Instant | null
}

export interface StandingView {
  readonly state: 'active' | 'blocked' | 'quarantined' | 'expelled'
  readonly reason: string | null
  readonly blockedUntil: Instant | null
}

export interface DeviceTrustView {
  readonly isTrusted: boolean
  readonly isProven: boolean
  readonly honesty: number
  readonly auditProbability: number
  readonly standing: StandingView
  readonly openComplaints: number
}

export interface DeviceCounters {
  readonly n_2xx: number
  readonly n_3xx: number
  readonly n_4xx: number
  readonly n_5xx: number
  readonly network_errors: number
  readonly timeouts: number
  readonly denied: number
  readonly bytes: number
  readonly elapsed_ms: number
}

/** What a device does, in the order of how much it helps. */
export type DeviceDoing =
  | 'working'
  | 'idle'
  | 'resting'
  | 'away'
  | 'paused'
  | 'drained'
  | 'blocked'
  | 'stopped'
  | 'revoked'

/** Why a device does nothing. A word keeps its meaning: programs and catalogues go by it. */
export type IdleReason =
  | 'no-collection'
  | 'no-work'
  | 'waits-for-trust'
  | 'straggles'
  | 'waits-for-clocks'
  | 'others-have-it'
  | 'paused-by-owner'
  | 'paused-at-machine'
  | 'outside-hours'
  | 'month-used-up'
  | 'on-battery'
  | 'on-metered-line'
  | 'resting'
  | 'drained'
  | 'blocked'
  | 'quarantined'
  | 'expelled'
  | 'revoked'
  | 'not-connected'
  | 'too-old'

/** The boot that is at work. */
export interface DeviceAgent {
  readonly joinedAt: Instant
  readonly lastBeatAt: Instant
}

/** What it has in hand: its leases, since when the oldest and until when the first that ends. */
export interface DeviceLease {
  readonly leases: number
  readonly openedAt: Instant
  readonly deadline: Instant
  readonly requests: number
}

/** Per minute, oldest first, the minute that runs included. */
export interface DeviceRates {
  readonly from: Instant
  readonly requests: readonly number[]
  readonly downBytes: readonly number[]
  readonly upBytes: readonly number[]
}

/** An address that is out with a device now; null: a robots.txt. */
export interface DeviceItem {
  readonly host: string
  readonly url: string | null
  readonly collectionId: number
  readonly openedAt: Instant
  readonly deadline: Instant
}

export interface DeviceRow {
  readonly id: string
  readonly owner: string
  readonly ownerName: string
  readonly name: string
  readonly state: 'active' | 'paused' | 'revoked'
  readonly isTrusted: boolean
  readonly isConnected: boolean
  readonly enrolledAt: Instant
  readonly seenAt: Instant
  readonly os: string
  readonly osVersion: string
  readonly software: string
  readonly hostName: string
  readonly country: string | null
  readonly doing: DeviceDoing
  /** Null while it works. */
  readonly whyIdle: IdleReason | null
  readonly drainedAt: Instant | null
  /** What the operator has to tell its owner. */
  readonly message: { readonly text: string; readonly at: Instant } | null
  readonly refused: string | null
  readonly agent: DeviceAgent | null
  readonly lease: DeviceLease | null
  readonly rates: DeviceRates
  readonly counters: DeviceCounters
  readonly places: readonly {
    readonly networkPrefix: string
    readonly firstSeenAt: Instant
    readonly lastSeenAt: Instant
  }[]
  readonly trust: DeviceTrustView | null
  readonly heldMicros: number
}

/** What was decided about a device, by whom and why. */
export interface TrustLogRow {
  readonly id: number
  readonly at: Instant
  readonly who: string
  readonly action: string
  readonly reason: string | null
  readonly note: string | null
}

/** One request that a device made. */
export interface DeviceRequestRow {
  readonly id: number
  readonly at: Instant
  readonly url: string | null
  readonly outcome: 'captured' | 'failed' | 'denied' | 'returned'
  readonly status: number | null
  readonly responseBytes: number
  readonly elapsedMs: number
  readonly code: string | null
}

export interface Balance {
  readonly account: string
  readonly balanceMicros: number
  readonly requests: number
}

export interface StatementRow {
  readonly postingId: string
  readonly at: Instant
  readonly kind: string
  readonly reference: string
  readonly note: string | null
  readonly amountMicros: number
  readonly requests: number
  readonly balanceMicros: number
}

export interface QuotaView {
  readonly openMax: number | null
  readonly dayMax: number | null
  readonly open: number
  readonly usedToday: number
}

export interface LeaderRow {
  readonly name: string
  readonly earnedMicros: number
  readonly requests: number
}

export interface DevicesPage {
  readonly rows: readonly DeviceRow[]
  /** Where the next page begins; null after the last one. */
  readonly next: string | null
  readonly total: number
}

/** Devices at one place: to the degree where it is known, else the middle of a country. */
export interface FleetDot {
  readonly lat: number
  readonly lon: number
  readonly country: string | null
  /** Whether the place is that of a machine, or only its country's. */
  readonly isExact: boolean
  readonly working: number
  readonly idle: number
  readonly away: number
  /** The first few names. */
  readonly names: readonly string[]
}

export interface FleetCountry {
  /** Null: not known. */
  readonly country: string | null
  readonly working: number
  readonly idle: number
  readonly away: number
}

export interface FleetMap {
  readonly dots: readonly FleetDot[]
  readonly countries: readonly FleetCountry[]
  /** Of connected devices, how many are nowhere on the map. */
  readonly nowhere: number
  /** Hosts of collections by country; null for those who may not see them. */
  readonly hosts:
    | readonly {
        readonly country: string
        readonly lat: number
        readonly lon: number
        readonly hosts: number
      }[]
    | null
}

/** What one volunteer did, or all together who chose no name. */
export interface ContributionRow {
  readonly name: string | null
  readonly volunteers: number
  readonly requests: number
  readonly bytes: number
  readonly streakDays: number
  readonly byDay: readonly { readonly requests: number; readonly bytes: number }[]
}

export interface ContributionsView {
  /** When the first day began, in UTC. */
  readonly from: Instant
  readonly days: number
  readonly volunteers: readonly ContributionRow[]
}
