/** Plans that run in one process, one task after another, through the real kernel: for tests. */
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after } from 'node:test'
import { exactMacros } from '../../src/clean/exact-macros.ts'
import { folderDepot } from '../../src/kernel/folder-depot.ts'
import { runTask } from '../../src/kernel/run-task.ts'
import type { Binding, FileRef, Plan, Query, Stage, TaskDone } from '../../src/model.ts'
import { startRowFunctions } from '../../src/rows/row-functions.ts'
import { partsOf } from '../../src/schedule/input-units.ts'
import { resolveTask, type StageFiles } from '../../src/schedule/resolve-task.ts'
import { checkQuery } from '../../src/plan/check-query.ts'

export class PlanBench {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'minga-plan-'))
  readonly #depot = folderDepot(this.folder)
  readonly #functions = startRowFunctions({ folder: null, timeLimitMs: 20_000 })
  #runs = 0

  constructor() {
    after(async () => {
      await this.#functions.close()
      rmSync(this.folder, { recursive: true, force: true })
    })
  }

  /** A CSV file, cut into about as many units as wanted. */
  csv(name: string, header: string[], rows: string[][], units: number): Binding {
    const lines = [header, ...rows].map((fields) => Buffer.from(`${fields.map(field).join(',')}\n`))
    const starts = [0]
    for (const line of lines) starts.push((starts.at(-1) ?? 0) + line.length)
    const at = path.join(this.folder, `${name}-${this.#runs++}.csv`)
    writeFileSync(at, Buffer.concat(lines))
    const { mtimeMs, size } = statSync(at)
    const cuts = Array.from({ length: units + 1 }, (_, unit) =>
      Math.max(1, Math.round((unit * rows.length) / units) + 1),
    )
    return {
      kind: 'file',
      file: { at: 'outside', name: at, bytes: size, changedAtMs: mtimeMs },
      format: 'csv',
      header,
      units: cuts.slice(1).flatMap((to, unit) => {
        const [start, end] = [starts[cuts[unit] ?? 1] ?? 0, starts[to] ?? size]
        return end > start ? [{ kind: 'range' as const, from: start, to: end }] : []
      }),
    }
  }

  /** A table of one segment: whatever this statement selects. */
  async table(name: string, sql: string): Promise<Binding> {
    const file = `tables/${name}/${this.#runs++}.parquet`
    const at = path.join(this.folder, file)
    mkdirSync(path.dirname(at), { recursive: true })
    const instance = await DuckDBInstance.create(':memory:')
    const connection = await instance.connect()
    await connection.run(`COPY (${sql}) TO '${at}' (FORMAT parquet)`)
    const described = await connection.runAndReadAll(`DESCRIBE ${sql}`)
    const rows = described.getRowsJson() as string[][]
    const columns = rows.map(([column = '', type = '']) => ({ name: column, type }))
    connection.closeSync()
    instance.closeSync()
    const segments = [{ file, rows: 1, bytes: statSync(at).size }]
    return { kind: 'table', manifest: { table: name, version: 1, columns, segments } }
  }

  /** Texts of all results, by query. */
  async run(plan: Plan): Promise<Record<string, string>> {
    const query = `run-${this.#runs++}`
    const done = new Map<string, TaskDone[]>()
    for (const stage of plan.stages) {
      const tasks: TaskDone[] = []
      for (let index = 0; index < tasksOf(stage, plan); index += 1) {
        const files = plan.stages.flatMap((before, place) =>
          filesOf(before, { place, index, done: done.get(before.id) ?? [] }),
        )
        const limits = { memoryMb: 512, threads: 1 }
        const leased = { query, stage: stage.id, index, fence: 1, attempt: 1, limits, files }
        const context = { signal: new AbortController().signal, functions: this.#functions }
        tasks.push(await runTask(resolveTask(plan, leased, 6000), this.#depot, context))
      }
      done.set(stage.id, tasks)
    }
    return Object.fromEntries(
      plan.results.map(({ query: name, file }) => {
        const [only] = (done.get(file.stage) ?? []).flatMap(({ outputs }) =>
          outputs.filter(({ output }) => output === file.output),
        )
        return [name, readFileSync(path.join(this.folder, only?.file ?? ''), 'utf8')]
      }),
    )
  }

  /** What plain DuckDB answers, as the text of a CSV file. */
  async ask(statements: string[], sql: string): Promise<string> {
    const instance = await DuckDBInstance.create(':memory:')
    const connection: DuckDBConnection = await instance.connect()
    const at = path.join(this.folder, `answer-${this.#runs++}.csv`)
    for (const statement of [...exactMacros, ...statements]) await connection.run(statement)
    await connection.run(`COPY (${sql}) TO '${at}' (FORMAT csv, HEADER true)`)
    connection.closeSync()
    instance.closeSync()
    return readFileSync(at, 'utf8')
  }
}

function tasksOf({ tasks }: Stage, { inputs }: Plan): number {
  if (tasks.over === 'one') return 1
  return tasks.over === 'partitions' ? tasks.count : partsOf(inputs[tasks.input]!.binding).length
}

/** What a task of a later stage finds of this one: all of it, and its own partition. */
function filesOf(
  { outputs }: Stage,
  { place, index, done }: { place: number; index: number; done: TaskDone[] },
): StageFiles[] {
  return outputs.flatMap(({ name }) =>
    (['whole', 'partition'] as const).map((part) => ({
      stage: place,
      output: name,
      part,
      files: done
        .flatMap((task) => task.outputs)
        .filter(
          ({ output, partition }) => output === name && (part === 'whole' || partition === index),
        )
        .map(({ file, bytes }): FileRef => ({ at: 'lake', name: file, bytes })),
    })),
  )
}

/** As CSV writes it. */
export const field = (text: string): string =>
  /[",\n\r]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text

/** What everyone may send: nothing but JSON. */
export const sent = (query: Query): Query => checkQuery(JSON.parse(JSON.stringify(query)))
