/**
 * A *batch*: revisions of one page that arrived together, in the form in which they wait in the database until
 * a fold writes them into files. What is known of them and their texts are two pieces, so that a question
 * about the first does not inflate the second.
 */
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { HiddenField, Revision, RevisionSource, Slot } from '../model.ts'

export interface Batch {
  readonly pageId: number
  readonly source: RevisionSource
  /** When the wiki said so, in ms; of a dump, its date. What was said later counts. */
  readonly seenAt: number
  readonly revIds: readonly number[]
  readonly rawBytes: number
  /** Revisions whose fields the wiki hides, and which. */
  readonly hidden: readonly HiddenRevision[]
  /** Revisions that come with a text: what was hidden of them is shown again. */
  readonly shown: readonly number[]
  readonly meta: Uint8Array
  readonly texts: Uint8Array
}

export interface HiddenRevision {
  readonly revId: number
  readonly fields: readonly HiddenField[]
}

/** A revision as it is kept, with where it comes from. */
export interface StoredRevision extends Revision {
  source: RevisionSource
  /** When the wiki said so, in ms. */
  seenAt: number
}

/** Batches live for minutes: speed counts more than size. */
const LEVEL = 1

/** `revisions` are of one page. */
export function encodeBatch(
  revisions: readonly Revision[],
  { source, seenAt }: { source: RevisionSource; seenAt: number },
): Batch {
  const texts = revisions.flatMap(({ slots }) => slots.flatMap(({ text }) => text ?? []))
  const meta = JSON.stringify(revisions.map(withoutTexts))
  return {
    pageId: revisions[0]!.pageId,
    source,
    seenAt,
    revIds: revisions.map(({ revId }) => revId),
    rawBytes: texts.reduce((sum, { length }) => sum + length, 0),
    hidden: revisions
      .filter(({ hidden }) => hidden.length > 0)
      .map(({ revId, hidden }) => ({ revId, fields: hidden })),
    shown: revisions.filter(({ slots }) => slots.some(hasText)).map(({ revId }) => revId),
    meta: compressed(Buffer.from(meta)),
    texts: compressed(Buffer.concat(texts)),
  }
}

const hasText = ({ text }: Slot): boolean => text !== null

type Bare = Omit<Revision, 'slots'> & { slots: BareSlot[] }
type BareSlot = Omit<Slot, 'text'> & { length: number | null }

function withoutTexts(revision: Revision): Bare {
  const slots = revision.slots.map(({ text, ...slot }) => ({
    ...slot,
    length: text === null ? null : text.length,
  }))
  return { ...revision, slots }
}

type Pieces = Pick<Batch, 'source' | 'seenAt' | 'meta'> & { texts?: Uint8Array }

/** Without `texts` the revisions come without them; `heldRoles` tells which slots have one. */
export function decodeBatch(batch: Pieces): WaitingRevision[] {
  const { source, seenAt } = batch
  const bare = JSON.parse(zstdDecompressSync(batch.meta).toString()) as Bare[]
  const texts = batch.texts === undefined ? null : zstdDecompressSync(batch.texts)
  let offset = 0
  return bare.map((revision) => {
    const heldRoles: string[] = []
    let textBytes = 0
    const slots = revision.slots.map(({ length, ...slot }): Slot => {
      if (length === null) return { ...slot, text: null }
      heldRoles.push(slot.role)
      textBytes += length
      const text = texts?.subarray(offset, offset + length) ?? null
      offset += length
      return { ...slot, text }
    })
    return { ...settled({ ...revision, slots }), source, seenAt, heldRoles, textBytes }
  })
}

/** With one slot, what is known of the slot is known of the revision, and the other way round. */
function settled<T extends Revision>(revision: T): T {
  const [slot, second] = revision.slots
  if (slot === undefined || second !== undefined) return revision
  const sha1 = revision.sha1 ?? slot.sha1
  const size = revision.size ?? slot.size
  const only = { ...slot, sha1: slot.sha1 ?? sha1, size: slot.size ?? size }
  return { ...revision, sha1, size, slots: [only] }
}

/** The same with what is known of its texts. */
export function waiting(
  revision: Revision,
  { source, seenAt }: Pick<StoredRevision, 'source' | 'seenAt'>,
): WaitingRevision {
  const held = revision.slots.filter(hasText)
  const textBytes = held.reduce((sum, { text }) => sum + text!.length, 0)
  const heldRoles = held.map(({ role }) => role)
  return { ...settled(revision), source, seenAt, heldRoles, textBytes }
}

/** A stored revision that knows of its texts without holding them. */
export interface WaitingRevision extends StoredRevision {
  /** Slots whose text is kept. */
  heldRoles: string[]
  textBytes: number
}

function compressed(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const packed = zstdCompressSync(bytes, {
    params: {
      [constants.ZSTD_c_compressionLevel]: LEVEL,
      [constants.ZSTD_c_enableLongDistanceMatching]: 1,
      [constants.ZSTD_c_windowLog]: 24,
    },
  })
  // Its own buffer: zlib's may be a slice of a pool, which a message to the store would copy whole.
  return new Uint8Array(packed)
}
