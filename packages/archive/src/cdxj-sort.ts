/**
 * Sorting an index larger than memory: sorted runs on disk, then one merge (Knuth, TAOCP 3,
 * 5.4.1). Memory is one run of lines; 100 million captures merge in two passes.
 */

import type { FileHandle } from 'node:fs/promises'
import { readLines, removeFile, writeWhole } from './archive-files.ts'
import { cdxjLine, type CdxjEntry } from './cdxj.ts'

/** About 35 MB of lines; twice as many are no faster and double the peak of memory. */
const RUN_LINES = 100_000

/** Open files in one merge: far below the usual limit of 1,024 per process. */
const MERGE_WAYS = 64

export interface SortOptions {
  runLines?: number
  mergeWays?: number
}

/** Sorted and durable under `path` when it resolves; says how many lines there are. */
export async function writeCdxjFile(
  path: string,
  entries: AsyncIterable<CdxjEntry>,
  options: SortOptions = {},
): Promise<number> {
  return writeSortedLines(path, linesOf(entries), options)
}

async function* linesOf(entries: AsyncIterable<CdxjEntry>): AsyncGenerator<string> {
  for await (const entry of entries) yield cdxjLine(entry)
}

/** The same for lines that exist already, such as those of another index. */
export async function writeSortedLines(
  path: string,
  lines: AsyncIterable<string>,
  options: SortOptions = {},
): Promise<number> {
  const runs = new RunFiles(path)
  try {
    const lastRun = await spillRuns(lines, runs, options.runLines ?? RUN_LINES)
    await mergeDown(runs, options.mergeWays ?? MERGE_WAYS)
    const inputs = [...runs.names.map((name) => readLines(name)), arrayLines(lastRun)]
    return await writeWhole(path, (file) => writeLines(file, mergeCdxj(inputs)))
  } finally {
    await runs.removeAll()
  }
}

/** Temporary files next to the target, so that they share its disk and are found after a crash. */
class RunFiles {
  readonly #path: string
  #made = 0
  names: string[] = []

  constructor(path: string) {
    this.#path = path
  }

  async add(lines: AsyncIterable<string>): Promise<void> {
    const name = `${this.#path}.run-${this.#made++}`
    this.names.push(name)
    await writeWhole(name, (file) => writeLines(file, lines))
  }

  async remove(names: readonly string[]): Promise<void> {
    for (const name of names) await removeFile(name)
    this.names = this.names.filter((name) => !names.includes(name))
  }

  removeAll(): Promise<void> {
    return this.remove(this.names)
  }
}

/** Spills every full run; what is left over is returned sorted and never touches the disk. */
async function spillRuns(
  lines: AsyncIterable<string>,
  runs: RunFiles,
  runLines: number,
): Promise<string[]> {
  let run: string[] = []
  for await (const line of lines) {
    run.push(line)
    if (run.length < runLines) continue
    await runs.add(arrayLines(run.toSorted()))
    run = []
  }
  return run.toSorted()
}

async function mergeDown(runs: RunFiles, ways: number): Promise<void> {
  while (runs.names.length > ways) {
    const batch = runs.names.slice(0, ways)
    await runs.add(mergeCdxj(batch.map((name) => readLines(name))))
    await runs.remove(batch)
  }
}

async function* arrayLines(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines
}

/**
 * Merges sorted runs of lines into one. Equal lines become one: indexing the same file twice
 * must not double its captures.
 */
export async function* mergeCdxj(
  sortedRuns: readonly AsyncIterable<string>[],
): AsyncGenerator<string> {
  const heap = new RunHeap()
  const opened = sortedRuns.map((run) => run[Symbol.asyncIterator]())
  try {
    for (const run of opened) await heap.advance({ line: '', run })
    let last: string | undefined
    for (let top = heap.pop(); top; top = heap.pop()) {
      if (top.line !== last && top.line !== '') yield top.line
      last = top.line
      await heap.advance(top)
    }
  } finally {
    for (const run of opened) await run.return?.()
  }
}

interface RunHead {
  line: string
  run: AsyncIterator<string>
}

/** A binary heap of runs by their next line. */
class RunHeap {
  readonly #heads: RunHead[] = []

  async advance(head: RunHead): Promise<void> {
    const next = await head.run.next()
    if (next.done !== true) this.#push({ line: next.value, run: head.run })
  }

  #push(head: RunHead): void {
    const heads = this.#heads
    let at = heads.push(head) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (heads[parent]!.line <= head.line) break
      heads[at] = heads[parent]!
      at = parent
    }
    heads[at] = head
  }

  pop(): RunHead | undefined {
    const heads = this.#heads
    const top = heads[0]
    const last = heads.pop()
    if (!last || heads.length === 0) return top
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= heads.length) break
      if (child + 1 < heads.length && heads[child + 1]!.line < heads[child]!.line) child++
      if (heads[child]!.line >= last.line) break
      heads[at] = heads[child]!
      at = child
    }
    heads[at] = last
    return top
  }
}

const WRITE_CHARACTERS = 256 * 1024

async function writeLines(file: FileHandle, lines: AsyncIterable<string>): Promise<number> {
  let pending = ''
  let written = 0
  for await (const line of lines) {
    pending += `${line}\n`
    written++
    if (pending.length < WRITE_CHARACTERS) continue
    await file.appendFile(pending)
    pending = ''
  }
  await file.appendFile(pending)
  return written
}
