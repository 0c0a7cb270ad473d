/** What a query needs, as a form; and the form as the question that is sent. */
import type { InputSource, QueryQuestion, ResultFormat } from '@minga/protocol'
import type { ShippedParameter, WrittenQuery } from '../../api/queries.ts'

/** Where an input comes from; the version is empty for the table as it is now. */
export interface InputForm {
  from: 'table' | 'upload' | 'path'
  table: string
  version: string
  /** Of what was sent up. */
  upload: string
  path: string
}

export interface RunForm {
  inputs: Record<string, InputForm>
  /** As they are typed; empty: the default. */
  parameters: Record<string, string>
  format: ResultFormat
  memoryMb: string
  deadlineS: string
}

export interface NeededInput {
  name: string
  /** The table that it reads unless another is named. */
  table: string | null
  /** Columns of a file, or none when it is a table. */
  columns: string[]
}

/** An input of one name is one for all of the queries. */
export function inputsOf(queries: readonly WrittenQuery[]): NeededInput[] {
  const needed = new Map<string, NeededInput>()
  for (const { inputs } of queries) {
    for (const [name, input] of Object.entries(inputs)) {
      const columns = 'columns' in input ? Object.keys(input.columns) : []
      const table = 'table' in input ? input.table : null
      const known = needed.get(name)?.columns ?? []
      needed.set(name, { name, table, columns: [...new Set([...known, ...columns])] })
    }
  }
  return [...needed.values()]
}

export interface NeededParameter extends ShippedParameter {
  name: string
}

/** One name is one parameter for all of the queries that have it. */
export function parametersOf(queries: readonly WrittenQuery[]): NeededParameter[] {
  const all = queries.flatMap(({ parameters = {} }) => Object.entries(parameters))
  return [...new Map(all.map(([name, one]) => [name, { name, ...one }])).values()]
}

export function emptyForm(queries: readonly WrittenQuery[]): RunForm {
  const inputs = inputsOf(queries).map(({ name, table }): [string, InputForm] => [
    name,
    { from: 'table', table: table ?? '', version: '', upload: '', path: '' },
  ])
  return {
    inputs: Object.fromEntries(inputs),
    parameters: {},
    format: 'csv',
    memoryMb: '',
    deadlineS: '',
  }
}

/** What was filled in before stays where it is still asked for. */
export function refilled(form: RunForm, queries: readonly WrittenQuery[]): RunForm {
  const fresh = emptyForm(queries)
  const inputs = Object.entries(fresh.inputs).map(([name, input]) => [
    name,
    form.inputs[name] ?? input,
  ])
  return { ...form, inputs: Object.fromEntries(inputs) as RunForm['inputs'] }
}

export type Problem = 'input' | 'integer' | 'number' | 'limit'

/** By field: `inputs.books`, `parameters.least`, `memoryMb`, `deadlineS`. */
export function problemsOf(
  queries: readonly WrittenQuery[],
  form: RunForm,
): Record<string, Problem> {
  const problems: Record<string, Problem> = {}
  for (const { name } of inputsOf(queries)) {
    if (sourceOf(form.inputs[name]) === null) problems[`inputs.${name}`] = 'input'
  }
  for (const { name, type } of parametersOf(queries)) {
    const typed = (form.parameters[name] ?? '').trim()
    if (typed === '' || type === 'text') continue
    const isRight = type === 'integer' ? /^-?\d{1,15}$/.test(typed) : isNumber(typed)
    if (!isRight) problems[`parameters.${name}`] = type
  }
  for (const [name, least] of [
    ['memoryMb', 64],
    ['deadlineS', 1],
  ] as const) {
    const typed = form[name].trim()
    const isRight = typed === '' || (/^\d{1,9}$/.test(typed) && Number(typed) >= least)
    if (!isRight) problems[name] = 'limit'
  }
  return problems
}

const isNumber = (typed: string): boolean => Number.isFinite(Number(typed))

function sourceOf(input: InputForm | undefined): InputSource | null {
  if (input === undefined) return null
  const { from, table, version, upload, path } = input
  if (from === 'upload') return upload === '' ? null : { upload }
  if (from === 'path') return path.trim() === '' ? null : { path: path.trim() }
  if (table === '') return null
  return version === '' ? { table } : { table, version: Number(version) }
}

/** Of a form without problems. A shipped query goes by its name, another whole. */
export function questionOf(
  queries: readonly WrittenQuery[],
  form: RunForm,
  isShipped: (query: WrittenQuery) => boolean,
): QueryQuestion {
  const inputs = inputsOf(queries).map(({ name }) => [name, sourceOf(form.inputs[name])!])
  const typed = parametersOf(queries).flatMap(({ name, type }): [string, string | number][] => {
    const text = form.parameters[name] ?? ''
    if (type === 'text') return text === '' ? [] : [[name, text]]
    return text.trim() === '' ? [] : [[name, Number(text)]]
  })
  return {
    queries: queries.map((query) => (isShipped(query) ? query.name : query)),
    inputs: Object.fromEntries(inputs) as Record<string, InputSource>,
    parameters: Object.fromEntries(typed),
    format: form.format,
    ...(form.memoryMb.trim() === '' ? {} : { memoryMb: Number(form.memoryMb) }),
    ...(form.deadlineS.trim() === '' ? {} : { deadlineS: Number(form.deadlineS) }),
  }
}
