/** What a station's API answers about people, devices, money and settings. */
import type { Instant } from './clock.ts'

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

/** An address that is out with a device now; null: a robots.txt. */
export interface DeviceItem {
  readonly host: string
  readonly url: string | null
  readonly collectionId: number
  readonly openedAt: Instant
  readonly deadline: Instant
}

export interface Balance {
  readonly account: string
  readonly balanceMicros: number
  readonly requests: number
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
