/**
 * Revisits that do not refer to the response with their payload are led to it: older versions let them
 * refer to the revisit before, and other tools' files may name what never came here. Replay tools do
 * not follow a revisit to a revisit.
 *
 * A WARC file is never changed: the right record is appended to the archive in the transaction that
 * moves the row there, so that a kill at any moment leaves each capture with its former record or with
 * its new one. What is done is not done again.
 */
import { cdxjTimestamp, mayBeEqual, recordIdOf, referTo, UnreadableRecord } from '@minga/archive'
import { faultPoint, type CaptureRow, type RepairAnswer, type Result } from '@minga/protocol'
import type { Calls } from '@minga/store'
import { referredPayload, type ContentOperations } from '../captures/capture-content.ts'
import { readBytes, referredOf } from './read-member.ts'
import type {
  ListedRevisit,
  NamedRecord,
  Pointing,
  RevisitQuery,
  RepairOperations,
} from './repair-rows.ts'

interface Parts {
  store: Calls<RepairOperations & ContentOperations>
  data: string
}

export interface RepairQuery extends Omit<RevisitQuery, 'limit'> {
  /** Only says what would be done. */
  dryRun: boolean
}

/** Revisits in one step: some tenths of a second, and little memory. */
const STEP_REVISITS = 500

/** One step behind `afterId`; `next` says where the following one begins. */
export async function repairStep(parts: Parts, asked: RepairQuery): Promise<RepairAnswer> {
  const { store } = parts
  const { dryRun, ...query } = asked
  const listed = await store.call('listRevisits', {
    ...query,
    limit: STEP_REVISITS,
  } satisfies RevisitQuery)
  const pointings: Pointing[] = []
  const lost: RepairAnswer['lost'] = []
  for (const one of listed) {
    const pointing = await pointingOf(parts, one)
    if (pointing === null) lost.push(nameOf(one.revisit))
    else if (pointing.member || pointing.recordId !== one.revisit.recordId) pointings.push(pointing)
  }
  const wrong = pointings.filter(({ member }) => member !== null).length
  const repaired = dryRun ? wrong : await store.call('pointRevisits', { pointings })
  faultPoint('repair:step-done')
  const last = listed.at(-1)?.revisit.id ?? null
  const next = listed.length < STEP_REVISITS ? null : last
  return { checked: listed.length, repaired, lost, next }
}

/** Before captures are handed out: none of them refers to another revisit any more. */
export async function repairUnresolved(parts: Parts, collectionId: number | null): Promise<void> {
  const query = { collectionId, onlyUnresolved: true, dryRun: false }
  for (let afterId: number | null = 0; afterId !== null;) {
    afterId = (await repairStep(parts, { ...query, afterId })).next
  }
}

const nameOf = ({ url, capturedAt }: CaptureRow): RepairAnswer['lost'][number] => {
  return { url, timestamp: cdxjTimestamp(capturedAt) }
}

/** Null when what it refers to is not here, or cannot be read. */
async function pointingOf(
  parts: Parts,
  { revisit, original: known }: ListedRevisit,
): Promise<Pointing | null> {
  try {
    const original = known ?? (await referredPayload(parts, revisit))
    if (!original || !mayBeEqual(original.digest, revisit.digest)) return null
    const referred = await referredOf(parts.data, original)
    const { recordId } = referred
    if (recordId === null) return null
    const former = await readBytes(parts.data, revisit)
    const member = referTo(former, referred)
    return { revisit, original, recordId, member: member === former ? null : member }
  } catch (error) {
    // Damage is what a check reports; the others are repaired all the same.
    if (error instanceof UnreadableRecord || isMissing(error)) return null
    throw error
  }
}

const isMissing = (error: unknown): boolean => (error as { code?: string }).code === 'ENOENT'

/** Until then an archive may hold responses whose names are in their files alone. */
const named = new WeakSet<Calls<RepairOperations & ContentOperations>>()

/** Before an upload is taken in: what its captures are to refer to has its name. */
export async function nameOriginals(parts: Parts, results: readonly Result[]): Promise<void> {
  const { store, data } = parts
  if (named.has(store)) return
  const captures = results
    .filter((result) => result.type === 'captured')
    .map(({ url, digest }) => ({ url, digest }))
  if (captures.length === 0) return
  const { originals } = await store.call('unnamedOriginals', { captures })
  if (originals === null) return void named.add(store)
  const read: NamedRecord[] = []
  for (const original of originals) {
    const bytes = await readBytes(data, original).catch(() => null)
    const recordId = bytes && recordIdOf(bytes)
    if (recordId) read.push({ original, recordId })
  }
  if (read.length > 0) await store.call('nameRecords', { named: read })
}
