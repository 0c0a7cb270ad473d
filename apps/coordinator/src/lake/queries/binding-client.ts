/** Asks the process that looks into files and checks queries (binding-process.ts). */
import { dirname } from 'node:path'
import {
  BadInput,
  BadQuery,
  InputChanged,
  type Binding,
  type FileBinding,
  type InputRules,
  type InspectedFile,
  type LakeFiles,
  type Plan,
} from '@minga/lake'
import type { Clock } from '@minga/protocol'
import { BoundedSemaphore } from '../../accounts/bounded-semaphore.ts'
import type { DuckDbRunner } from '../duckdb/runner.ts'
import { LastingProcess } from '../duckdb/run-process.ts'
import type { BindingAnswer, BindingCalls, BindingQuestion } from './binding-process.ts'

export interface BindingProcessParts {
  files: LakeFiles
  runner: DuckDbRunner
  /** The machine's own: a process that hangs does so in real time. */
  clock: Pick<Clock, 'sleep'>
  closing: AbortSignal
  /** How long a plan may take; tests wait for less. */
  planMs?: number
}

/** Of a large file some kilobytes per unit are read; a disk may be slow. */
const FILE_MS = 60_000
/** Planning takes milliseconds. Others wait in the meantime. */
const PLAN_MS = 20_000

/** What the process may refuse with, by code. */
const REFUSALS = [BadInput, BadQuery, InputChanged]

export class BindingClient {
  readonly #parts: BindingProcessParts
  /** More than these wait for nothing. */
  readonly #semaphore = new BoundedSemaphore('plans together')
  readonly #child: LastingProcess<BindingQuestion, BindingAnswer>

  constructor(parts: BindingProcessParts) {
    this.#parts = parts
    const { files, runner, clock, closing } = parts
    // A station that has no table yet has no folder of them either.
    const folder = dirname(files.root)
    this.#child = new LastingProcess({ runner, name: 'binding', folder, work: '', clock, closing })
  }

  /** Of the process that answers; null while there is none. */
  get pid(): number | null {
    return this.#child.pid
  }

  /** What a file is, and its units of whole records. */
  async look(args: BindingCalls['look']['args']): Promise<FileBinding> {
    const { path } = args.file
    return boundTo(args.file, await this.#askAboutFile<FileBinding>({ name: 'look', args }, path))
  }

  /** The columns that it would have. */
  infer(args: BindingCalls['infer']['args']): Promise<InputRules> {
    return this.#askAboutFile({ name: 'infer', args }, args.path)
  }

  async plan(args: BindingCalls['plan']['args']): Promise<Plan> {
    const { planMs = PLAN_MS } = this.#parts
    const said = await this.#ask<Plan>({ name: 'plan', args }, planMs)
    if (said === 'late') {
      const seconds = planMs / 1_000
      throw new BadQuery(
        `Checking the query took longer than ${seconds} s; its expressions compute too much of constants.`,
      )
    }
    if (said === 'dead') {
      throw new BadQuery('Checking the query broke the process that does it; simplify it.')
    }
    return boundPlan(said, args.bindings)
  }

  async #askAboutFile<R extends object>(question: BindingQuestion, path: string): Promise<R> {
    await this.#parts.runner.share([path])
    const said = await this.#ask<R>(question, FILE_MS)
    if (said === 'late') {
      throw new BadInput(`Looking into the file took longer than ${FILE_MS / 1_000} s.`)
    }
    if (said === 'dead')
      throw new BadInput('The file crashed its reader. Check that the file is complete.')
    return said
  }

  async #ask<R extends object>(
    question: BindingQuestion,
    timeoutMs: number,
  ): Promise<R | 'late' | 'dead'> {
    const said = await this.#semaphore.run(() => this.#child.ask(question, timeoutMs))
    if (said === 'late' || said === 'dead') return said
    if ('problem' in said) throw refusalOf(said.problem)
    // The process answers the question that it was asked.
    return said.result as R
  }
}

function refusalOf({ code, message }: { code: string | null; message: string }): Error {
  const refusals = REFUSALS.map((Refusal) => new Refusal(message))
  return refusals.find((refusal) => refusal.code === code) ?? new Error(message)
}

// What the process that looks into files and plans queries may say about files: nothing. A file may have taken it over,
// and workers read whatever a plan names; so each answer is bound to what the coordinator itself named.

/** The file is the one that was to be inspected, and its parts are parts of it. */
export function boundTo({ path, lakeName }: InspectedFile, said: FileBinding): FileBinding {
  if (said.units.some(({ kind }) => kind !== 'range')) {
    throw new BadInput(
      'The parts of the file are not ranges of it. Check that the file is complete.',
    )
  }
  const at = lakeName === undefined ? ('outside' as const) : ('lake' as const)
  return { ...said, kind: 'file', file: { ...said.file, at, name: lakeName ?? path } }
}

/** Its inputs are those that were given, and it changes no table. */
export function boundPlan(
  { stages, inputs, results }: Plan,
  bindings: Readonly<Record<string, Binding>>,
): Plan {
  const bound = Object.entries(inputs).map(([name, { rules }]) => {
    const binding = givenAs(name, bindings)
    if (binding === undefined) throw new BadQuery(`No input "${name}" was given to the query.`)
    return [name, { rules, binding }]
  })
  return { stages, inputs: Object.fromEntries(bound) as Plan['inputs'], results }
}

/** Queries whose rules for an input differ read it under names of their own: `books`, `books~2`. */
function givenAs(name: string, bindings: Readonly<Record<string, Binding>>): Binding | undefined {
  const given = Object.hasOwn(bindings, name) ? name : name.replace(/~\d{1,9}$/, '')
  return Object.hasOwn(bindings, given) ? bindings[given] : undefined
}
