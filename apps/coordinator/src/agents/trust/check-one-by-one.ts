/**
 * Checks an upload result by result, when all together took too long or too much memory. The page at fault is kept
 * without its links, and what even so cannot be checked becomes a failure: it is recorded, so that the same page is
 * not sent and checked again and again. All others count as ever.
 */
import { WorkerDied, WorkerTooSlow, type CapturedResult, type UnreadCode } from '@minga/protocol'
import type { CheckQuestion } from './check-calls.ts'
import { failureOf, type CheckedResults } from './check-results.ts'

const OUT_OF_MEMORY = 'ERR_WORKER_OUT_OF_MEMORY'

/** Fails with an error of the thread when it misses its deadline, at once when all time is over. */
type Check = (question: CheckQuestion) => Promise<CheckedResults>

export function isOfThread(error: unknown): error is WorkerTooSlow | WorkerDied {
  return error instanceof WorkerTooSlow || error instanceof WorkerDied
}

export async function checkOneByOne(
  question: CheckQuestion,
  check: Check,
): Promise<CheckedResults> {
  const { results, members, pages, windows } = question
  const wanted = new Set(pages)
  const all: CheckedResults = {
    ...NOTHING_YET,
    results: [],
    pages: new Map(),
    left: question.budget,
  }
  const kept: Uint8Array[] = []
  let offset = 0
  for (const [position, result] of results.entries()) {
    if (result.type !== 'captured') {
      all.results.push(result)
      continue
    }
    const from = offset
    for (const length of result.members) offset += length
    const checked = await checkOne(check, result, {
      ...question,
      // A copy: of a part, a message to a thread carries the whole.
      members: new Uint8Array(members.subarray(from, offset)),
      pages: wanted.has(position) ? [0] : [],
      windows: [windows[position] ?? null],
      budget: all.left,
    })
    kept.push(checked.members)
    all.results.push(...checked.results)
    all.refused += checked.refused
    all.left = checked.left
    for (const page of checked.pages.values()) all.pages.set(position, page)
  }
  return { ...all, members: Buffer.concat(kept) }
}

const NOTHING_YET = { members: Buffer.alloc(0), refused: 0 }

async function checkOne(
  check: Check,
  result: CapturedResult,
  one: CheckQuestion,
): Promise<CheckedResults> {
  try {
    return await check({ ...one, results: [result] })
  } catch (error) {
    if (!isOfThread(error)) throw error
    return checkUnread(check, { ...result, unread: unreadCodeOf(error) }, one)
  }
}

async function checkUnread(
  check: Check,
  result: CapturedResult,
  one: CheckQuestion,
): Promise<CheckedResults> {
  try {
    return await check({ ...one, results: [result] })
  } catch (error) {
    if (!isOfThread(error)) throw error
    const failed = failureOf(result, error)
    return { ...NOTHING_YET, results: [failed], refused: 1, pages: new Map(), left: one.budget }
  }
}

function unreadCodeOf(error: WorkerTooSlow | WorkerDied): UnreadCode {
  if (error instanceof WorkerTooSlow) return 'page:too-slow'
  const isMemory = (error.cause as { code?: string } | undefined)?.code === OUT_OF_MEMORY
  return isMemory ? 'page:too-large' : 'page:unreadable'
}
