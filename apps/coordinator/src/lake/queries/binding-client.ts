/** Asks the process that looks into files and checks queries (binding-process.ts). */
import { dirname } from 'node:path'
import {
  BadInput,
  BadQuery,
  InputChanged,
  type FileBinding,
  type InputRules,
  type LakeFiles,
  type Plan,
} from '@minga/lake'
import type { Clock } from '@minga/protocol'
import { BoundedSemaphore } from '../../accounts/bounded-semaphore.ts'
import { boundPlan, boundTo } from './bound-answers.ts'
import type { BindingAnswer, BindingCalls, BindingQuestion } from './binding-process.ts'
import type { DuckDbRunner } from '../duckdb/runner.ts'
import { LastingProcess } from '../duckdb/run-process.ts'

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
