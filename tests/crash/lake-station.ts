/** A station with workers as real processes, and a question about books whose answers an oracle knows. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { writeBooks, type BooksFacts } from '@minga/lake'
import type { QueryView, WorkerView } from '@minga/protocol'
import { readProcesses, type Child } from '@minga/testkit'
import { askBooksOracle, type BookAnswers } from '../../packages/lake/test/books/books-oracle.ts'
import { scorerOf } from '../../packages/lake/src/sentiment/scorers.ts'
import { startMinga } from './crash-fixture.ts'

/** In place of the 500 of the public set, so that some books have enough. */
const POPULAR = 40
const NAMES = ['books-1', 'books-2', 'books-3', 'books-4', 'books-5'] as const
const START_MS = 60_000
const PATIENCE_MS = 60_000
/** Each look is a call that the coordinator answers while it has better things to do. */
const LOOK_MS = 50

export interface Books {
  facts: BooksFacts
  answers: BookAnswers
}

export async function newBooks(folder: string, reviews: number): Promise<Books> {
  const facts = await writeBooks({ folder, seed: 81, reviews, popular: POPULAR })
  const { booksPath, reviewsPath } = facts
  const sentiment = scorerOf('en')
  const oracle = { booksPath, reviewsPath, sentiment, leastReviews: POPULAR }
  return { facts, answers: await askBooksOracle(oracle) }
}

export interface LakeStation {
  up: Child
  data: string
  url: string
  apiKey: string
}

export async function startLakeStation(wishes: {
  data: string
  workers: number
  args?: string[]
}): Promise<LakeStation> {
  const { data, workers, args = [] } = wishes
  const command = ['up', '--data', data, '--port', '0', '--no-agent', ...args]
  const up = await startMinga([...command, '--workers', String(workers)])
  // Not from station.json alone: a further coordinator leaves that to the first.
  const [, url = ''] = await up.waitOutput(/Minga is up at (https?:\/\/[^\s/]+)/, START_MS)
  const file = fs.readFileSync(path.join(data, 'station.json'), 'utf8')
  const { apiKey } = JSON.parse(file) as { apiKey: string }
  return { up, data, url, apiKey }
}

export type Role = 'coordinator' | 'worker'

export function pidsOf({ data }: Pick<LakeStation, 'data'>, role: Role): number[] {
  return readProcesses(data).flatMap((entry) => (entry.role === role ? [entry.pid] : []))
}

/** Until it is so; the station may be away meanwhile. Answers how long that took. */
export async function until(
  what: string,
  isSo: () => Promise<boolean> | boolean,
  patienceMs = PATIENCE_MS,
): Promise<number> {
  const begunMs = performance.now()
  for (;;) {
    if (await Promise.resolve(isSo()).catch(isAway)) return performance.now() - begunMs
    assert.ok(performance.now() - begunMs < patienceMs, `${what}, within ${patienceMs / 1000} s`)
    await sleep(LOOK_MS)
  }
}

/** A killed coordinator refuses the connection or cuts it; a test that fails says so otherwise. */
function isAway(error: unknown): boolean {
  if (error instanceof assert.AssertionError) throw error
  return false
}

/** A stopped coordinator accepts connections and says nothing. */
const CALL_MS = 2_000

export async function call(
  { url, apiKey }: Pick<LakeStation, 'url' | 'apiKey'>,
  route: string,
  body?: object,
): Promise<Response> {
  const response = await fetch(`${url}/api${route}`, {
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    headers: {
      authorization: `Bearer ${apiKey}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    signal: AbortSignal.timeout(CALL_MS),
  })
  if (response.ok) return response
  assert.ok(response.status >= 500, `${route}: ${await response.text()}`)
  throw new Error(`${route}: HTTP ${response.status}`)
}

export async function workersOf(station: LakeStation): Promise<WorkerView[]> {
  return (await (await call(station, '/workers')).json()) as WorkerView[]
}

/** Asks the five questions; the same id again is the same query. */
export async function ask(station: LakeStation, { facts }: Books): Promise<string> {
  const id = randomUUID()
  const question = {
    id,
    queries: NAMES,
    parameters: { least: POPULAR },
    inputs: { books: { path: facts.booksPath }, reviews: { path: facts.reviewsPath } },
    format: 'csv',
  }
  await until('the query is taken', async () => {
    await call(station, '/queries', question)
    return true
  })
  return id
}

async function viewOf(station: LakeStation, id: string): Promise<QueryView> {
  return (await (await call(station, `/queries/${id}`)).json()) as QueryView
}

export async function doneOf(station: LakeStation, id: string): Promise<number> {
  return (await viewOf(station, id)).tasks.done
}

/** Waits for the end; the answers must be the oracle's, byte for byte. */
export async function assertAnswered(
  station: LakeStation,
  id: string,
  { answers }: Books,
): Promise<void> {
  await until('the query ends', async () => (await viewOf(station, id)).state !== 'running')
  const { state, error } = await viewOf(station, id)
  assert.equal(state, 'done', JSON.stringify(error))
  for (const name of NAMES) {
    const answer = await (await call(station, `/queries/${id}/results/${name}`)).text()
    assert.equal(answer, answers[name], name)
  }
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
