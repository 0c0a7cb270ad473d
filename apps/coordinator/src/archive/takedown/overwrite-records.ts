/** Tombstones in the place of records: where the records of a capture are, and the writing itself. */
import {
  readRecordAt,
  readRecords,
  tombstoneMember,
  tombstoneRecord,
  UnreadableRecord,
  type WarcRecord,
} from '@minga/archive'
import { faultPoint } from '@minga/protocol'
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import type { OpenTakedown, RecordPlace } from './takedown-rows.ts'

type NewId = () => string

interface OverwrittenRecord {
  takedown: OpenTakedown
  /** Null when it cannot be read: damaged, or another file under its name. */
  record: WarcRecord | null
}

/** Of every takedown in one file, in their order; empty when there is no such file. */
export async function findPlaces(
  path: string,
  takedowns: readonly OpenTakedown[],
  newId: NewId,
): Promise<RecordPlace[][]> {
  if (!(await isThere(path))) return takedowns.map(() => [])
  const overwritten: OverwrittenRecord[] = []
  for (const takedown of takedowns)
    overwritten.push({ takedown, record: await readIfWhole(path, takedown) })
  const beside = overwritten.every(({ takedown }) => takedown.isOwn === 1)
    ? await recordsBehind(path, overwritten)
    : await recordsAnywhere(path, overwritten)
  const places: RecordPlace[][] = []
  for (const [i, { takedown, record }] of overwritten.entries()) {
    const { offset, length } = takedown
    const isPlain = record === null ? !(await isGzipAt(path, offset)) : record.storage === 'plain'
    const refersTo = record?.headers.get('WARC-Record-ID') ?? null
    const own = { offset, length, isPlain, id: newId(), refersTo }
    places.push([own, ...beside[i]!.map((each) => placeOf(each, newId))])
  }
  return places
}

function placeOf({ offset, length, storage, headers }: WarcRecord, newId: NewId): RecordPlace {
  const refersTo = headers.get('WARC-Record-ID') ?? null
  return { offset, length, isPlain: storage === 'plain', id: newId(), refersTo }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await (await open(path)).close()
    return true
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return false
    throw error
  }
}

async function readIfWhole(path: string, { offset, length }: OpenTakedown) {
  try {
    return await readRecordAt(path, offset, length)
  } catch (error) {
    if (error instanceof UnreadableRecord) return null
    throw error
  }
}

async function isGzipAt(path: string, offset: number): Promise<boolean> {
  const file = await open(path)
  try {
    const { buffer } = await file.read(Buffer.alloc(2), 0, 2, offset)
    return buffer[0] === 0x1f && buffer[1] === 0x8b
  } finally {
    await file.close()
  }
}

/** Request and metadata follow their capture in files that crawls wrote. */
async function recordsBehind(
  path: string,
  overwritten: readonly OverwrittenRecord[],
): Promise<WarcRecord[][]> {
  const found: WarcRecord[][] = []
  for (const { takedown, record } of overwritten) {
    const behind: WarcRecord[] = []
    const start = takedown.offset + takedown.length
    const id = record?.headers.get('WARC-Record-ID')
    for await (const item of readRecords(createReadStream(path, { start }), {
      blockLimitBytes: 0,
    })) {
      // The next capture may refer to this one, but does not belong to it.
      if ('damage' in item || CAPTURES.has(item.type)) break
      if (id === undefined || !namesOf(item).includes(id)) break
      behind.push({ ...item, offset: start + item.offset })
    }
    found.push(behind)
  }
  return found
}

/** Other tools write them before, behind or at the end: all of the file is looked through. */
async function recordsAnywhere(
  path: string,
  overwritten: readonly OverwrittenRecord[],
): Promise<WarcRecord[][]> {
  const owners = new Map<string, number>()
  for (const [i, { record }] of overwritten.entries()) {
    if (record === null) continue
    const own = record.headers.get('WARC-Record-ID')
    for (const id of [own, ...record.headers.all('WARC-Concurrent-To')]) if (id) owners.set(id, i)
  }
  const found: WarcRecord[][] = overwritten.map(() => [])
  for await (const item of readRecords(createReadStream(path), { blockLimitBytes: 0 })) {
    // A file that can be sought in has no shared members; captures have takedowns of their own.
    if ('damage' in item || item.length === 0 || CAPTURES.has(item.type)) continue
    const own = item.headers.get('WARC-Record-ID')
    const owner = [own ?? '', ...namesOf(item)]
      .map((id) => owners.get(id))
      .find((i) => i !== undefined)
    if (owner !== undefined) found[owner]!.push(item)
  }
  return found
}

const CAPTURES = new Set(['response', 'revisit', 'resource', 'warcinfo'])

/** The records that a record belongs to. */
function namesOf({ headers }: WarcRecord): string[] {
  return ['WARC-Concurrent-To', 'WARC-Refers-To', 'WARC-Segment-Origin-ID'].flatMap((name) =>
    headers.all(name),
  )
}

/** The same bytes however often: what a crash left half written is whole afterwards. */
export async function overwriteRecords(
  path: string,
  takedowns: readonly OpenTakedown[],
): Promise<void> {
  if (takedowns.every(({ places }) => places!.length === 0)) return
  const file = await open(path, 'r+')
  try {
    for (const { url, reason, askedAt, places } of takedowns) {
      for (const { offset, length, isPlain, id, refersTo } of places!) {
        const stone = { id, removedAt: askedAt, url, refersTo, reason }
        const bytes = isPlain ? tombstoneRecord(stone, length) : tombstoneMember(stone, length)
        await file.write(bytes, 0, length, offset)
        faultPoint('takedown:one-written')
      }
    }
    await file.sync()
  } finally {
    await file.close()
  }
}
