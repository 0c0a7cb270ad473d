import type { GuardPolicy, Resolver } from '@minga/net'
import type { Clock } from '@minga/protocol'
import type { ConditionVariable } from '@minga/protocol/condition-variable'
import type { Store } from '@minga/store'
import type { Revisions } from '@minga/wiki'
import type { EventLog } from './event-log/event-log.ts'
import type { GeoLookup } from './geoip.ts'
import type { StationSecrets } from './secrets/station-secrets.ts'
import type { LiveSettings } from './settings/live-settings.ts'
import type { Operations } from './station-operations.ts'

/** What most parts of a coordinator share: built once, where the station is assembled. It never leaves the coordinator. */
export interface Station extends GeoLookup {
  readonly store: Store<Operations>
  readonly clock: Clock
  /** A number from 0 up to, not including, 1. */
  readonly random: () => number
  /** The folder with the station's files. */
  readonly data: string
  /** Known to this station only; it keeps volunteers from being followed. */
  readonly secret: string
  /** Opens what the database holds encrypted, and accepts what former secrets made. */
  readonly secrets: StationSecrets
  /** What operators change while the station runs. */
  readonly settings: LiveSettings
  /** Which addresses may be contacted. */
  readonly guard: GuardPolicy
  readonly resolver: Resolver
  /** What is kept of wikis. */
  readonly revisions: Revisions
  readonly eventLog: EventLog
  /** Writes a line to stderr. */
  readonly log: (line: string) => void
  readonly userAgent: string
  /** Where the world reaches this station, as in `https://minga.example`; null when it cannot. */
  readonly publicUrl: string | null
  /** By which names the station may be called; `*` stands for any. */
  readonly hostNames: ReadonlySet<string>
  /** Collections and captures are read without authentication, because only this machine can call the station. */
  readonly readOpenly: boolean
  /** Notified when there may be new work for agents that wait. */
  readonly work: ConditionVariable
  /** Notified when requests of clients may have ended. */
  readonly settled: ConditionVariable
  /** Aborts when the station closes: long polls and streams end at once, and nothing new is sent. */
  readonly closing: AbortSignal
}

/** Where the keys of signed requests are published; null when none are signed. */
export function signatureAgentOf({
  settings,
  publicUrl,
}: Pick<Station, 'settings' | 'publicUrl'>): string | null {
  return settings.current().webBotAuth === 'on' ? publicUrl : null
}
