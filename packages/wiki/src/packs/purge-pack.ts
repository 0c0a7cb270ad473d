/**
 * A pack without the texts of some revisions. Frames that hold none of them are copied as they are; the
 * others are unpacked and packed again, so that no byte of what had to go is left. A text that another
 * revision still has stays for that one.
 */
import { DamagedPack } from '../errors.ts'
import { FrameBuilder } from './frame-builder.ts'
import { nameOf, type FramePlace } from './pack-directory.ts'
import { PackEntries, type Entry, type Removal } from './pack-entries.ts'
import { packFiles, type PackFiles } from './pack-files.ts'
import type { StoredFrame } from './pack-frame.ts'
import { PackOutput, type PackSummary } from './pack-output.ts'
import type { PackReader } from './pack-reader.ts'
import { LEVEL, type PackWriterOptions } from './pack-writer.ts'
import { sha256 } from './text-hashes.ts'

export interface Purge extends Removal {
  revId: number
  /** Of the slot; all slots of the revision when absent. */
  role?: string
}

export interface PurgeOptions extends Pick<PackWriterOptions, 'level'> {
  purge: Purge[]
  files?: PackFiles
}

/** The old file stays: whoever calls removes it once the new one is committed. */
export async function purgePack(
  pack: PackReader,
  out: string,
  { purge, files, level }: PurgeOptions,
): Promise<PackSummary> {
  const { entries, removed } = purged(await pack.entries(), purge)
  let rawBytes = pack.summary.rawBytes
  for (const text of removed) rawBytes -= (await pack.textAt(text)).length
  const isUsed = usedTexts(entries, pack.summary.texts)
  const output = await PackOutput.create(out, files ?? packFiles)
  try {
    for (const place of pack.directory.frames) {
      const frames = framesWithout(pack, place, isUsed, level ?? LEVEL)
      for await (const frame of frames) await output.frame(frame)
    }
    return await output.finish(renumbered(entries, isUsed), rawBytes)
  } catch (error) {
    await output.abandon()
    throw error
  }
}

interface Purged {
  entries: PackEntries
  /** Texts that entries had; one that two entries had is there twice. */
  removed: number[]
}

function purged(entries: PackEntries, purge: Purge[]): Purged {
  const byRevision = Map.groupBy(purge, ({ revId }) => revId)
  const removalOf = ({ revId, role }: Entry): Removal | undefined =>
    byRevision.get(revId)?.find((one) => one.role === undefined || one.role === role)
  const kept = new PackEntries()
  const removed: number[] = []
  for (let index = 0; index < entries.length; index += 1) {
    const entry = entries.at(index)
    const removal = removalOf(entry)
    if (removal === undefined || entry.text === null) kept.add(entry)
    else {
      removed.push(entry.text)
      kept.add({ ...entry, text: null, removal: { reason: removal.reason, at: removal.at } })
    }
  }
  return { entries: kept, removed }
}

function usedTexts(entries: PackEntries, texts: number): Uint8Array {
  const isUsed = new Uint8Array(texts)
  for (let index = 0; index < entries.length; index += 1) {
    const { text } = entries.at(index)
    if (text !== null) isUsed[text] = 1
  }
  return isUsed
}

async function* framesWithout(
  pack: PackReader,
  place: FramePlace,
  isUsed: Uint8Array,
  level: number,
): AsyncGenerator<StoredFrame> {
  const stays = isUsed.subarray(place.firstText, place.firstText + place.texts)
  if (!stays.includes(0)) {
    const { listBytes, rawBytes, texts, crc } = place
    // One that was damaged before is copied too: others of its texts may be wanted back by hand.
    yield { bytes: await pack.stored(place), listBytes, rawBytes, texts, crc }
    return
  }
  const frame = await pack.readFrame(place)
  let builder = new FrameBuilder(place.rawBytes, [])
  for (const [index, isKept] of stays.entries()) {
    if (isKept === 0) continue
    const text = frame.text(index)
    if (text === null)
      throw new DamagedPack(pack.path, `a text in ${nameOf(pack.directory, place)}`)
    const digest = sha256(text)
    if (builder.add(text, digest)) continue
    // What stood on a purged text now has more of its own: the frame may have to become two.
    yield builder.stored(level)
    builder = new FrameBuilder(place.rawBytes, [])
    builder.add(text, digest)
  }
  frame.free()
  if (builder.texts > 0) yield builder.stored(level)
}

/** Texts are numbered by their place: what stands behind a removed one moves up. */
function renumbered(entries: PackEntries, isUsed: Uint8Array): PackEntries {
  const numbers = new Uint32Array(isUsed.length)
  let next = 0
  for (const [text, used] of isUsed.entries()) {
    numbers[text] = next
    next += used
  }
  const moved = new PackEntries()
  for (let index = 0; index < entries.length; index += 1) {
    const entry = entries.at(index)
    moved.add({ ...entry, text: entry.text === null ? null : numbers[entry.text]! })
  }
  return moved
}
