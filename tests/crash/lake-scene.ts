/** Five questions about made-up books, asked by real commands, and the proofs that their answers must pass. */
import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { writeBooks, type BooksFacts } from '@minga/lake'
import type { Child } from '@minga/testkit'
import { askBooksOracle, type BookAnswers } from '../../packages/lake/test/books/books-oracle.ts'
import { scorerOf } from '../../packages/lake/src/sentiment/scorers.ts'
import { startMinga } from './crash-fixture.ts'

export const NAMES = ['books-1', 'books-2', 'books-3', 'books-4', 'books-5'] as const
/** In place of the 500 of the public set, so that small sets have some. */
const POPULAR = 40

export interface BookShop extends BooksFacts {
  /** By an oracle that parses byte by byte and asks plain DuckDB. */
  expected: BookAnswers
}

/** From 8 MB on the reviews are read by several tasks. */
export async function openShop(wishes: {
  folder: string
  seed: number
  reviewBytes: number
}): Promise<BookShop> {
  fs.mkdirSync(wishes.folder, { recursive: true })
  const facts = await writeBooks({ ...wishes, popular: POPULAR })
  const { booksPath, reviewsPath } = facts
  const judged = { booksPath, reviewsPath, sentiment: scorerOf('en'), leastReviews: POPULAR }
  return { ...facts, expected: await askBooksOracle(judged) }
}

/** A data folder and the processes that work in it. */
export interface LakeScene {
  data: string
  /** TMPDIR of all commands, so that what they leave there is seen. */
  temporary: string
  postgres?: string
  /** All processes that were started, to see that none is left. */
  started: Child[]
}

export interface BookScene extends LakeScene {
  shop: BookShop
}

export function newScene(folder: string, postgres?: string): LakeScene {
  const [data, temporary] = [path.join(folder, 'data'), path.join(folder, 'tmp')]
  for (const made of [data, temporary]) fs.mkdirSync(made, { recursive: true })
  return { data, temporary, started: [], ...(postgres === undefined ? {} : { postgres }) }
}

export function newBookScene(folder: string, shop: BookShop, postgres?: string): BookScene {
  return { ...newScene(folder, postgres), shop }
}

/** A command on the scene's folder. */
export async function start(scene: LakeScene, args: string[]): Promise<Child> {
  const where = ['--data', scene.data]
  if (scene.postgres !== undefined) where.push('--postgres', scene.postgres)
  return startIn(scene, [...args, ...where])
}

async function startIn(scene: LakeScene, args: string[]): Promise<Child> {
  // Compiled code is Node's own matter, and stays where all find it.
  const cache = process.env['NODE_COMPILE_CACHE'] ?? path.join(os.tmpdir(), 'node-compile-cache')
  const child = await startMinga(args, { TMPDIR: scene.temporary, NODE_COMPILE_CACHE: cache })
  scene.started.push(child)
  return child
}

interface Asking {
  out: string
  /** Of its own; without a number those of the station that serves the folder. */
  workers?: number
  /** Other books than the scene's. */
  shop?: BookShop
  more?: readonly string[]
}

export function startQuery(scene: BookScene, asking: Asking): Promise<Child> {
  const { booksPath, reviewsPath } = asking.shop ?? scene.shop
  const inputs = ['--input', `books=${booksPath}`, '--input', `reviews=${reviewsPath}`]
  const workers = asking.workers === undefined ? [] : ['--workers', String(asking.workers)]
  const how = ['--param', `least=${POPULAR}`, '--out', asking.out, ...workers]
  return start(scene, ['query', 'run', ...NAMES, ...inputs, ...how, ...(asking.more ?? [])])
}

interface StationFile {
  url: string
  apiKey: string
  workerToken: string
}

export async function startStation(scene: LakeScene, workers: number): Promise<Child> {
  const args = ['up', '--port', '0', '--no-agent', '--workers', String(workers)]
  return start(scene, args)
}

/** As on another machine: files come and go through the station. */
export async function startRemoteWorkers(
  scene: LakeScene,
  { url, count }: { url: string; count: number },
): Promise<Child> {
  const key = ['--key', stationFile(scene).workerToken]
  const args = ['worker', 'run', '--station', url, ...key, '--workers', String(count)]
  const elsewhere = path.join(scene.data, '..', 'elsewhere')
  return startIn(scene, [...args, '--data', elsewhere])
}

export function stationFile({ data }: LakeScene): StationFile {
  return JSON.parse(fs.readFileSync(path.join(data, 'station.json'), 'utf8')) as StationFile
}

const START_MS = 60_000

export async function stationIsUp(station: Child): Promise<void> {
  await station.waitOutput(/Minga is up/, START_MS)
}

/** The id under which a command asked; null before it did. */
export function askedId(out: string): string | null {
  const begun = read(path.join(out, '.partial', 'query.json'))
  return begun === null ? null : (JSON.parse(begun.toString()) as { id: string }).id
}

/** Whole, and nothing else. */
export function assertAnswers(out: string, { expected }: BookShop): void {
  assert.deepEqual(
    fs.readdirSync(out).toSorted(),
    NAMES.map((name) => `${name}.csv`),
  )
  for (const name of NAMES) {
    assert.equal(read(path.join(out, `${name}.csv`))?.toString(), expected[name], name)
  }
}

const LOOK_MS = 5

/** Eyes on a folder while something goes on: an answer that is there is there whole. */
export async function underEyes<R>(
  out: string,
  { expected }: BookShop,
  work: () => Promise<R>,
): Promise<R> {
  const torn: string[] = []
  const whole = new Map<string, string>()
  const over = new AbortController()
  const watching = (async () => {
    while (!over.signal.aborted) {
      for (const name of NAMES) {
        const file = path.join(out, `${name}.csv`)
        // What has not changed since it was found whole need not be read again.
        const version = versionOf(file)
        if (version === null || whole.get(name) === version) continue
        const answer = read(file)?.toString()
        if (answer === expected[name]) whole.set(name, version)
        else if (answer !== undefined) torn.push(`${name}.csv with ${answer.length} characters`)
      }
      await sleep(LOOK_MS)
    }
  })()
  try {
    return await work()
  } finally {
    over.abort()
    await watching
    assert.deepEqual(torn, [], 'answers are there whole or not at all')
  }
}

function versionOf(file: string): string | null {
  const stat = fs.statSync(file, { throwIfNoEntry: false, bigint: true })
  return stat === undefined ? null : [stat.ino, stat.size, stat.ctimeNs].join(' ')
}

function read(file: string): Buffer | null {
  try {
    return fs.readFileSync(file)
  } catch {
    return null
  }
}
