/** What rows between stations say, as JSON. URLs are short lists: there are very many of them. */
import type { CollectionState, RequestKind } from '@minga/protocol'

export interface UrlEntry {
  url: string
  kind: RequestKind
  depth: number
  hops: number
  via: string | null
}

export type UrlTuple = [
  url: string,
  kind: RequestKind,
  depth: number,
  hops: number,
  via: string | null,
]

export interface UrlsPayload {
  urls: UrlTuple[]
}

/** For the keeper: what was found, and what has ended with an answer or without one. */
export interface JournalPayload {
  found: UrlTuple[]
  done: string[]
}

/** A part of what a former owner knows of a host, or of what its keeper does. */
export interface HandoverPayload extends JournalPayload {
  host: string | null
}

/** The former owner has said everything: the new one may begin when the clocks allow it. */
export interface OverPayload {
  hosts: HostClock[]
}

export interface HostClock {
  host: string
  /** Of the row of the map by which it moved. */
  epoch: number
  /** Until the host may be contacted, from when this is read. */
  restMs: number
  crawlDelayMs: number
  backoffMs: number
}

export interface CollectionPayload {
  identity: string
  /** JSON. */
  spec: string
  state: CollectionState
  reason: string | null
  home: string | null
  version: number
  versionBy: string | null
  shares: Record<string, LimitShare> | null
}

/** A station's part of the limits; null: there is no such limit. */
export interface LimitShare {
  pages: number | null
  bytes: number | null
}

export type OutboxKind = 'urls' | 'journal' | 'handover' | 'over' | 'collection'

export const tupleOf = ({ url, kind, depth, hops, via }: UrlEntry): UrlTuple => [
  url,
  kind,
  depth,
  hops,
  via,
]

export const entryOf = ([url, kind, depth, hops, via]: UrlTuple): UrlEntry => ({
  url,
  kind,
  depth,
  hops,
  via,
})
