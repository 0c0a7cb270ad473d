/** What a process with test files says to the one that started it. */
import { emptyTotals, type Totals } from './totals.ts'

export const FILES_VARIABLE = 'MINGA_TEST_FILES'
const BEGIN = 'begin of '
const END = 'end of '

export const testFiles = (): string[] => JSON.parse(process.env[FILES_VARIABLE] ?? '[]') as string[]

/** Names of tests that only say which file begins and ends. */
export const marksOf = (file: string): { begin: string; end: string } => ({
  begin: BEGIN + file,
  end: END + file,
})

/** What each file took to be loaded, which is before the first of all tests. */
export const loadingMs = new Map<string, number>()

export type GroupMessage =
  | { type: 'began'; file: string }
  /** It begins to run, which node:test tells of before it begins to report. */
  | { type: 'test'; name: string }
  | {
      type: 'ended'
      file: string
      totals: Totals
      seconds: number
      processorSeconds: number
      failures: string[]
    }

/** The parts of node:test's events that matter here. */
export interface TestEvent {
  type: string
  data: {
    name?: string | undefined
    nesting?: number | undefined
    skip?: string | boolean | undefined
    todo?: string | boolean | undefined
    details?: { type?: string | undefined; error?: unknown } | undefined
  }
}

interface FileUnderWay {
  file: string
  totals: Totals
  failures: string[]
  beganMs: number
  beganProcessorMs: number
}

/** Sorts the events of all files by the marks between them. */
export class GroupEvents {
  readonly #send: (message: GroupMessage) => void
  readonly #now: () => number
  readonly #processorMs: () => number
  readonly #describe: (error: unknown) => string
  #current: FileUnderWay | undefined
  /** Names of the suites around the test that is reported, by nesting. */
  readonly #names: string[] = []

  constructor(options: {
    send: (message: GroupMessage) => void
    now: () => number
    /** Processor time of this process so far. */
    processorMs: () => number
    describe: (error: unknown) => string
  }) {
    this.#send = options.send
    this.#now = options.now
    this.#processorMs = options.processorMs
    this.#describe = options.describe
  }

  take({ type, data }: TestEvent): void {
    const { name = '', nesting = 0 } = data
    if (type === 'test:start') {
      if (nesting === 0 && name.startsWith(BEGIN)) this.#begin(name.slice(BEGIN.length))
      else if (nesting === 0 && name.startsWith(END)) this.end()
      this.#names.length = nesting
      this.#names[nesting] = name
    } else if (type === 'test:dequeue') {
      if (!name.startsWith(BEGIN) && !name.startsWith(END)) this.#send({ type: 'test', name })
    } else if (type === 'test:pass' || type === 'test:fail') {
      const isMark = nesting === 0 && name.startsWith(BEGIN)
      if (this.#current !== undefined && !isMark)
        this.#count(this.#current, type === 'test:fail', data)
    }
  }

  end(): void {
    if (this.#current === undefined) return
    const { file, totals, failures, beganMs, beganProcessorMs } = this.#current
    this.#current = undefined
    const seconds = (this.#now() - beganMs) / 1000
    const processorSeconds = (this.#processorMs() - beganProcessorMs) / 1000
    this.#send({ type: 'ended', file, totals, failures, seconds, processorSeconds })
  }

  #begin(file: string): void {
    // Loading a file is all work.
    const loading = loadingMs.get(file) ?? 0
    const beganMs = this.#now() - loading
    const beganProcessorMs = this.#processorMs() - loading
    this.#current = { file, totals: emptyTotals(), failures: [], beganMs, beganProcessorMs }
  }

  #count({ totals, failures }: FileUnderWay, isFailed: boolean, data: TestEvent['data']): void {
    const isSuite = data.details?.type === 'suite'
    if (isFailed && isSuite && isOfSubtests(data.details?.error)) return
    if (isFailed) {
      const place = this.#names.slice(0, (data.nesting ?? 0) + 1).join(' › ')
      failures.push(`✖ ${place}\n${this.#describe(data.details?.error)}`)
    }
    // A suite is no test, but one whose hook failed has failed.
    if (isSuite && !isFailed) return
    totals.tests++
    if (isFailed) totals.fail++
    else if (isSaid(data.skip) || isSaid(data.todo)) totals.skipped++
    else totals.pass++
  }
}

const isSaid = (value: string | boolean | undefined): boolean =>
  value !== undefined && value !== false

/** The suite itself is well; what failed within it has been counted. */
const isOfSubtests = (error: unknown): boolean =>
  error instanceof Error && 'failureType' in error && error.failureType === 'subtestsFailed'
