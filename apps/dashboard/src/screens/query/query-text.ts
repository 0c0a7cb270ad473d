/** A query as the user writes it: JSON, or what is wrong with it and where. */
import type { WrittenQuery } from '../../api/queries.ts'
import { jsonFault } from './json-fault.ts'

export type ReadText =
  | { query: WrittenQuery }
  | { problem: 'json' | 'shape'; line: number | null; column: number | null; detail: string }

/** Enough of its shape to make a form of it; the rest is judged by the station. */
export function readText(text: string): ReadText {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    const detail = (error as Error).message
    return { problem: 'json', ...placeOf(text), detail }
  }
  const missing = missingIn(value)
  if (missing === null) return { query: value as WrittenQuery }
  return { problem: 'shape', line: null, column: null, detail: missing }
}

function placeOf(text: string): { line: number | null; column: number | null } {
  const at = jsonFault(text)
  if (at === null) return { line: null, column: null }
  const before = text.slice(0, at).split('\n')
  return { line: before.length, column: before.at(-1)!.length + 1 }
}

function missingIn(value: unknown): string | null {
  if (!isObject(value)) return 'query'
  const { name, inputs, from, output } = value
  if (typeof name !== 'string') return 'name'
  if (!isObject(inputs) || !Object.values(inputs).every(isObject)) return 'inputs'
  if (!isObject(from)) return 'from'
  if (!isObject(output) || !Array.isArray(output['columns'])) return 'output'
  const { parameters } = value
  const isRight =
    parameters === undefined ||
    (isObject(parameters) && Object.values(parameters).every((one) => isObject(one)))
  return isRight ? null : 'parameters'
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** To begin with: it counts captures, which every station has. */
export const FIRST_TEXT = `${JSON.stringify(
  {
    name: 'captures-by-status',
    about: 'Captures by status',
    inputs: { captures: { table: 'captures' } },
    parameters: { least: { type: 'integer', default: 1, about: 'Captures at least' } },
    from: {
      step: 'filter',
      from: {
        step: 'group',
        from: { step: 'scan', input: 'captures' },
        by: ['status'],
        aggregates: { captures: { is: 'count' } },
      },
      where: 'captures >= $least',
    },
    output: {
      columns: ['status', 'captures'],
      order: [{ column: 'captures', descending: true }, { column: 'status' }],
    },
  },
  null,
  2,
)}\n`
