/**
 * The process that answers one question in SQL. It ends itself when it takes more memory or room than it may; its
 * parent ends it when it takes too long, and it ends with its parent.
 */
import { statSync } from 'node:fs'
import {
  answerFile,
  answerSql,
  type SqlQuestionTask,
  type SqlTask,
  type SqlTaskAnswer,
} from './answer-sql.ts'

/** A process without a question has this much already. */
const BARE_MB = 250
const LOOK_EVERY_MS = 100
const MB = 1024 * 1024

/** DuckDB keeps to its own limits; an answer's size and what is outside of them is watched here. */
function watchLimits({ work, format, bytesMax, memoryMb }: SqlTask): void {
  const out = answerFile(work, format)
  setInterval(() => {
    if (process.memoryUsage.rss() > (memoryMb + BARE_MB) * MB) finish({ over: 'memory' })
    if ((statSync(out, { throwIfNoEntry: false })?.size ?? 0) > bytesMax) finish({ over: 'bytes' })
  }, LOOK_EVERY_MS).unref()
}

/** The parent ends us when it has heard. */
function finish(said: SqlTaskAnswer): void {
  process.send!(said)
}

function failureOf(error: unknown): SqlTaskAnswer {
  const message = error instanceof Error ? error.message : String(error)
  return /^out of memory/i.test(message) ? { over: 'memory' } : { problem: message }
}

if (import.meta.main) {
  process.once('disconnect', () => process.exit(1))
  process.once('message', (question: SqlQuestionTask) => {
    const [work = ''] = process.argv.slice(2)
    const task = { ...question, work }
    watchLimits(task)
    answerSql(task).then(finish, (error: unknown) => finish(failureOf(error)))
  })
}
