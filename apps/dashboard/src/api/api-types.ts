/** The station's API as the page reads it: its types are those of the protocol, none of its code. */
import type { CaptureRow, CollectionSpec, HostStatus, LiveCollection } from '@minga/protocol'

export type Capture = CaptureRow
export type Collection = LiveCollection
export type Host = HostStatus
export type ScopeKind = CollectionSpec['scope']

export type Verb = 'pause' | 'resume' | 'stop' | 'cancel' | 'undo' | 'rerun'
