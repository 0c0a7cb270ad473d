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

export interface DeviceRow {
  readonly id: string
  readonly owner: string
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
