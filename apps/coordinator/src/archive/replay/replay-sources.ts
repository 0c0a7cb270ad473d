/**
 * The sources of the player: an index of the captures of one collection or of one version, next to
 * the WARC files it points into. A version's index has nothing of other times except what its own
 * captures refer to, so that it is shown as it was, all documents of one harvest together.
 */
import type { CdxjEntry } from '@minga/archive'
import type { CaptureRow } from '@minga/protocol'
import type { Store } from '@minga/store'
import { cdxjEntryOf, playerEntryOf } from '../captures/archive-index.ts'
import { referredPayload } from '../captures/capture-content.ts'
import { NoSuchSource } from '../errors.ts'
import type { Station } from '../../station/station.ts'
import type { FoundVersion, VersionWindow } from '../compare/versions.ts'
import type { Operations } from '../../station/station-operations.ts'

const PAGE_ROWS = 2_000
const EVERYTHING = Number.MAX_SAFE_INTEGER

export const INDEX = 'index.cdxj'

/** `collection-3`, `version-3-2`. */
export interface ReplaySource {
  name: string
  window: VersionWindow
}

export function collectionSource(collectionId: number): ReplaySource {
  const window = { collectionId, afterId: 0, lastId: EVERYTHING }
  return { name: `collection-${collectionId}`, window }
}

export function versionSource({ version, window }: FoundVersion): ReplaySource {
  return { name: `version-${version.collectionId}-${version.number}`, window }
}

export async function sourceNamed(store: Store<Operations>, name: string): Promise<ReplaySource> {
  const collection = /^collection-(\d{1,15})$/.exec(name)
  if (collection) return collectionSource(Number(collection[1]))
  const version = /^version-(\d{1,15})-(\d{1,15})$/.exec(name)
  const found = version
    ? await store.call('findVersion', {
        collectionId: Number(version[1]),
        number: Number(version[2]),
      })
    : null
  if (!found) throw new NoSuchSource(name)
  return versionSource(found)
}

/**
 * Changes whenever captures are added: browsers keep the index of an address, so that another state
 * needs another address.
 */
export async function stateOf(store: Store<Operations>, { window }: ReplaySource): Promise<string> {
  return store.call('windowState', { window })
}

/** The index of a source as others read it. */
export async function* sourceEntries(
  station: SourceStation,
  source: ReplaySource,
): AsyncGenerator<CdxjEntry> {
  for await (const { row } of sourceRows(station, source)) yield cdxjEntryOf(row)
}

/** The same as the player reads it: records have names of their own, which say by what right they are read. */
export async function* playerEntries(
  station: SourceStation,
  source: ReplaySource,
): AsyncGenerator<CdxjEntry> {
  for await (const { row, via } of sourceRows(station, source)) {
    yield { ...playerEntryOf(row), filename: recordName(row, via) }
  }
}

/** The record of a capture of the source, or one outside it that a revisit of the source refers to. */
function recordName(row: CaptureRow, via: CaptureRow): string {
  return row.id === via.id ? `r${row.id}.warc.gz` : `r${row.id}-of-${via.id}.warc.gz`
}

/**
 * The capture behind such a name, as the archive is now: none that was discarded or taken down, and none of another
 * collection unless a capture that is still there refers to it.
 */
export async function captureOfRecord(
  station: SourceStation,
  { window }: ReplaySource,
  name: string,
): Promise<CaptureRow | null> {
  const [, wanted, viaId] = /^r(\d{1,15})(?:-of-(\d{1,15}))?\.warc\.gz$/.exec(name) ?? []
  if (wanted === undefined) return null
  const id = Number(viaId ?? wanted)
  const via = await station.store.call('captureInWindow', { window, id })
  if (via === null || viaId === undefined) return via
  const payload = await payloadOf(station, via)
  return payload?.id === Number(wanted) ? payload : null
}

type SourceStation = Pick<Station, 'store' | 'data'>

export interface SourceRow {
  row: CaptureRow
  /** The response with its payload: mostly itself, null when it is not in the archive. */
  payload: CaptureRow | null
  /** The capture of the source that led to it: mostly itself. */
  via: CaptureRow
}

/** Every capture once, what revisits refer to included. */
export async function* sourceRows(
  station: SourceStation,
  { window }: ReplaySource,
): AsyncGenerator<SourceRow> {
  const shown = new Set<number>()
  for (let afterId = 0; ;) {
    const asked = { window, afterId, limit: PAGE_ROWS }
    const rows = await station.store.call('listDocuments', asked)
    for (const row of rows) {
      const payload = await payloadOf(station, row)
      for (const one of [row, payload]) {
        if (one === null || shown.has(one.id)) continue
        shown.add(one.id)
        yield { row: one, payload, via: row }
      }
    }
    if (rows.length < PAGE_ROWS) return
    afterId = rows.at(-1)!.id
  }
}

/** A revisit alone shows nothing: the player follows it to its original. */
async function payloadOf(station: SourceStation, row: CaptureRow): Promise<CaptureRow | null> {
  if (row.kind === 'response') return row
  const asked = { url: row.url, at: row.capturedAt }
  const place = await station.store.call('captureContent', asked)
  return place?.payload ?? referredPayload(station, row)
}
