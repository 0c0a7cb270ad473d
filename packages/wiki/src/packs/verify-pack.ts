/** Reads a whole pack and says what of it is lost. */
import { nameOf, type BlockPlace, type FramePlace } from './pack-directory.ts'
import { PackEntries } from './pack-entries.ts'
import type { PackReader } from './pack-reader.ts'

export interface PackDamage {
  /** What is damaged, and where in the file. */
  message: string
  /** Slots of revisions whose text cannot be read for it; empty where a block of the index is lost. */
  lost: { pageId: number; revId: number; role: string }[]
}

/** Empty for a pack that is as it was written. */
export async function verifyPack(pack: PackReader): Promise<PackDamage[]> {
  const damages: PackDamage[] = []
  const note = (message: string): number => damages.push({ message, lost: [] }) - 1
  if (!(await pack.hasHead()))
    note('Its first bytes are not those of a pack; the rest can be read.')
  const entries = new PackEntries()
  for (const block of pack.directory.blocks) {
    const problem = await problemOf(() => pack.readBlock(block, entries))
    if (problem !== null) note(lostBlock(block, problem))
  }
  /** Number of a text → number of the damage that took it. */
  const badTexts = new Map<number, number>()
  for (const frame of pack.directory.frames) {
    const bad = await badTextsOf(pack, frame)
    if (bad === null) continue
    const damage = note(bad.message)
    for (const text of bad.texts) badTexts.set(text, damage)
  }
  noteLost(entries, damages, (text) => {
    if (text >= pack.summary.texts)
      badTexts.set(text, note(`Its index names a text ${text} it has not.`))
    return badTexts.get(text)
  })
  return damages
}

function noteLost(
  entries: PackEntries,
  damages: PackDamage[],
  damageOf: (text: number) => number | undefined,
): void {
  for (let index = 0; index < entries.length; index += 1) {
    const { pageId, revId, role, text } = entries.at(index)
    const damage = text === null ? undefined : damageOf(text)
    if (damage !== undefined) damages[damage]?.lost.push({ pageId, revId, role })
  }
}

function lostBlock({ entries, firstRevId }: BlockPlace, problem: string): string {
  return `${problem} It had ${entries} entries of revisions from ${firstRevId} on.`
}

async function problemOf(attempt: () => Promise<void>): Promise<string | null> {
  try {
    await attempt()
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

interface BadTexts {
  message: string
  texts: number[]
}

async function badTextsOf(pack: PackReader, place: FramePlace): Promise<BadTexts | null> {
  const numbers = Array.from({ length: place.texts }, (_, index) => place.firstText + index)
  let bad: number[] = []
  const problem = await problemOf(async () => {
    const frame = await pack.readFrame(place)
    bad = numbers.filter((_, index) => frame.text(index) === null)
    frame.free()
  })
  if (problem !== null) return { message: problem, texts: numbers }
  if (bad.length === 0) return null
  return { message: `In ${nameOf(pack.directory, place)} are texts that changed.`, texts: bad }
}
