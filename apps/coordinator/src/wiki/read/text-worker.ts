/**
 * Reads long answers of wikis, and compares their texts for readers: a diff of two long texts takes seconds and a long history takes minutes, while
 * agents whose heartbeats are not received for ten seconds lose their leases. Only short ones are compared in place.
 */
import { DeadlineWorker, isMingaError, systemClock } from '@minga/protocol'
import {
  diffTexts,
  readAnswer,
  TextHistory,
  type Revision,
  type TextDiff,
  type TextRevision,
  type WikiNews,
} from '@minga/wiki'
import { runExclusive } from '@minga/protocol/run-exclusive'
import { WikiTextTooLong } from '../errors.ts'
import type { AnswerCall, FollowedPage, TextCall, TextReply } from './text-thread.ts'

/** Of one comparison, or of one batch of a history: a reader waits for it. */
const CALL_MS = 30_000
const HEAP_MB = 1_024
/** Characters that are compared in place, in milliseconds. */
const IN_PLACE_CHARACTERS = 32 * 1024
/** Characters of one batch: a second of work at most. */
const BATCH_CHARACTERS = 1024 * 1024

type TextThread = DeadlineWorker<TextCall, TextReply>

/** Of an answer that is read in place: in some milliseconds, or in a second where its parser is slow. */
const IN_PLACE_BYTES = 256 * 1024

/** A history stays in its thread between two batches: a diff that is late must not end that one. */
const [differ, follower, reader] = [startable(), startable(), startable()]

/** The thread starts with the first call. */
function startable(): TextThread {
  return new DeadlineWorker({
    file: new URL('./text-thread.ts', import.meta.url),
    deadlineMs: CALL_MS,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    clock: systemClock,
  })
}

/** What an answer says. Fails with `WikiTextTooLong` when reading it takes too much time or memory. */
export async function readLongAnswer(call: AnswerCall): Promise<WikiNews> {
  const { step, answer, context, known } = call
  if (answer.body.byteLength <= IN_PLACE_BYTES) {
    return readAnswer(step, answer, { ...context, known: () => known })
  }
  const { news } = await callThread(reader, call)
  if (news === undefined) throw new WikiTextTooLong()
  return news
}

export async function compareTexts(before: string, after: string): Promise<TextDiff> {
  if (before.length + after.length <= IN_PLACE_CHARACTERS) return diffTexts(before, after)
  const { diff } = await callThread(differ, { before, after })
  if (diff === undefined) throw new WikiTextTooLong()
  return diff
}

/** Who wrote what of a page, from its history, oldest revision first. */
export async function followHistory(rows: AsyncIterable<Revision>): Promise<FollowedPage> {
  const batches = batchesOf(rows)
  try {
    const first = (await batches.next()).value ?? NO_BATCH
    const isShort = first.isLast && first.characters <= IN_PLACE_CHARACTERS
    if (isShort) return followedBy(first.revisions)
    // The thread holds one history at a time.
    return await runExclusive(follower, () => followInThread(first, batches))
  } finally {
    await batches.return(undefined)
  }
}

async function followInThread(first: Batch, rest: AsyncIterable<Batch>): Promise<FollowedPage> {
  let reply = await callThread(follower, { ...first, isFirst: true })
  if (!first.isLast) {
    for await (const batch of rest) reply = await callThread(follower, { ...batch, isFirst: false })
  }
  if (reply.followed === undefined) throw new WikiTextTooLong()
  return reply.followed
}

function followedBy(revisions: readonly TextRevision[]): FollowedPage {
  const history = new TextHistory()
  for (const revision of revisions) history.add(revision)
  return { editors: history.editors(), tokens: history.current() }
}

async function callThread(thread: TextThread, call: TextCall): Promise<TextReply> {
  try {
    return await thread.call(call)
  } catch (cause) {
    if (isMingaError(cause)) throw new WikiTextTooLong({ cause })
    throw cause
  }
}

interface Batch {
  revisions: TextRevision[]
  characters: number
  isLast: boolean
}

const NO_BATCH: Batch = { revisions: [], characters: 0, isLast: true }

/** At least one; the last one says so. */
async function* batchesOf(
  rows: AsyncIterable<Revision>,
): AsyncGenerator<Batch, undefined, undefined> {
  let batch: Batch = { ...NO_BATCH, revisions: [] }
  for await (const row of rows) {
    const revision = textRevisionOf(row)
    batch.revisions.push(revision)
    batch.characters += revision.text?.length ?? 0
    if (batch.characters < BATCH_CHARACTERS) continue
    yield { ...batch, isLast: false }
    batch = { ...NO_BATCH, revisions: [] }
  }
  yield batch
  return undefined
}

const decoder = new TextDecoder()

function textRevisionOf({ revId, user, slots }: Revision): TextRevision {
  const text = slots.find(({ role }) => role === 'main')?.text ?? null
  return { revId, user, text: text === null ? null : decoder.decode(text) }
}
