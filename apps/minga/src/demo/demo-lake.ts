/**
 * Tables and queries of the demo: synthetic books and reviews, imported as tables and asked as files; one
 * query is answered in seconds, one takes its time on purpose so that its plan can be watched.
 */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import {
  avg,
  defineQuery,
  scan,
  shippedQueries,
  writeBooks,
  type BooksFacts,
  type InputRules,
} from '@minga/lake'
import type { QueryView } from '@minga/protocol'
import type { DemoStage } from './demo-stage.ts'

/** Large enough to be cut into several tasks, small enough to be written in a second. */
const REVIEW_BYTES = 17_000_000
const SEED = 12
/** How many reviews are many in so small a set. */
const POPULAR = 60
const LOOK_EVERY_MS = 500
const WAIT_MS = 120_000

export async function askBooks(stage: DemoStage): Promise<void> {
  const { api, folder } = stage
  const facts = await writeBooks({
    folder: join(folder.path, 'books'),
    seed: SEED,
    reviewBytes: REVIEW_BYTES,
    popular: POPULAR,
  })
  await importBoth(stage, facts)
  const inputs = { books: { path: facts.booksPath }, reviews: { path: facts.reviewsPath } }
  const answered = await api.post<QueryView>('/queries', {
    id: randomUUID(),
    queries: ['books-3', 'books-4'],
    inputs,
    parameters: { least: POPULAR },
  })
  await untilEnded(stage, answered)
  for (const saved of SAVED) await api.post('/saved-queries', saved)
  await folder.putRowFunction('unhurried', UNHURRIED)
  await api.post('/queries', {
    id: randomUUID(),
    queries: [readAloud(await rulesOfBooks())],
    inputs,
  })
}

type Rules = Record<string, InputRules>

async function rulesOfBooks(): Promise<Rules> {
  return (await shippedQueries()).get('books-3')!.inputs as Rules
}

/** Every review is read by the unhurried function: minutes of a worker, and hardly any of a processor. */
function readAloud({ books, reviews }: Rules): object {
  return defineQuery({
    name: 'read-aloud',
    about: 'Books with the longest reviews, read without hurry',
    inputs: { books: books!, reviews: reviews! },
    from: scan('reviews')
      .rowFunction('file:unhurried', ['text'], { name: 'letters', type: 'INTEGER' })
      .group(['title'], { letters: avg('letters') })
      .join(scan('books').first(['title']), ['title'])
      .top(20, [{ column: 'letters', descending: true }]),
    output: { columns: ['title', 'letters'], order: [{ column: 'letters', descending: true }] },
  })
}

async function importBoth(stage: DemoStage, facts: BooksFacts): Promise<void> {
  const rules = await rulesOfBooks()
  const files = { books: facts.booksPath, reviews: facts.reviewsPath }
  for (const [table, path] of Object.entries(files)) {
    const asked = { input: { path }, rules: rules[table], isReplacing: true }
    await untilEnded(stage, await stage.api.post<QueryView>(`/tables/${table}/import`, asked))
  }
}

async function untilEnded({ api, clock, signal }: DemoStage, { id }: QueryView): Promise<void> {
  const deadlineMs = clock.monotonicMs() + WAIT_MS
  while (!signal.aborted && clock.monotonicMs() < deadlineMs) {
    const { state } = await api.get<QueryView>(`/queries/${id}`)
    if (state !== 'running') return
    await clock.sleep(LOOK_EVERY_MS, signal)
  }
}

const SAVED = [
  {
    kind: 'sql',
    name: 'Captures and bytes by host',
    text: 'SELECT host, count(*) AS captures, sum(bytes) AS bytes\nFROM captures GROUP BY host ORDER BY captures DESC',
  },
  {
    kind: 'sql',
    name: 'Books by decade',
    text: 'SELECT year // 10 * 10 AS decade, count(*) AS books\nFROM books GROUP BY decade ORDER BY decade',
  },
]

/** Waits without using the processor, as a slow reader would. */
const UNHURRIED = `const clock = new Int32Array(new SharedArrayBuffer(4))
export const rowFunction = (text: string | null) => {
  Atomics.wait(clock, 0, 0, 4)
  return text === null ? 0 : text.length
}
`
