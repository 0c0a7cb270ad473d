/** The station's API as the page reads it: its types are those of the protocol, none of its code. */
import type {
  CaptureRow,
  CollectionSpec,
  HostStatus,
  LiveCollection,
  Visibility,
} from '@minga/protocol'

export type Capture = CaptureRow
export type Collection = LiveCollection
export type Host = HostStatus
export type ScopeKind = CollectionSpec['scope']

/** From few readers to many. */
export const VISIBILITIES = ['private', 'shared', 'public'] as const satisfies Visibility[]

/** In the order of the form, from the narrowest on. */
export const SCOPES = ['page', 'prefix', 'host', 'domain', 'any'] as const satisfies ScopeKind[]
