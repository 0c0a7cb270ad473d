/**
 * An import is a query of one stage: each task cleans a unit of the input and writes it as a
 * segment of the table, and what it dropped as a segment of the table of rejects. All of them
 * appear at once, when the last task is done.
 *
 * A task counts the rows of its own unit only. Where there are several units, a second stage of one
 * task numbers what was dropped through the whole file, as one unit would have.
 */
import { columnType } from '../clean/field-sql.ts'
import { ROWS_PER_UNIT } from '../kernel/row-number.ts'
import type { Binding, Column, InputRules, OutputName, Plan, Stage } from '../model.ts'
import { partsOf } from '../schedule/input-units.ts'

export interface ImportAsked {
  table: string
  rules: InputRules
  binding: Binding
}

const REJECTS: Column[] = [
  { name: 'row', type: 'BIGINT' },
  { name: 'reason', type: 'VARCHAR' },
  { name: 'record', type: 'VARCHAR' },
]

const [ROWS, DROPPED, COUNT, INPUT] = [
  'input_rows',
  'input_rejects',
  'input_rejects_count',
  'input',
]

export function planImport({ table, rules, binding }: ImportAsked): Plan {
  const columns = Object.entries(rules.columns).map(([name, rule]) => ({
    name,
    type: columnType(rule),
  }))
  const names = columns.map(({ name }) => name)
  const isNumbered = partsOf(binding).length > 1
  const rejects: OutputName = { stage: isNumbered ? 's2' : 's1', output: 'rejects' }
  return {
    stages: [
      {
        id: 's1',
        about: `read input → write ${table}`,
        tasks: { over: 'input', input: INPUT },
        reads: [
          {
            as: ROWS,
            from: 'input',
            input: INPUT,
            columns: names,
            withRow: false,
            rejectsAs: DROPPED,
          },
        ],
        program: [],
        outputs: [
          { name: 'rows', from: ROWS, columns: names, format: 'parquet' },
          { name: 'rejects', from: DROPPED, format: 'parquet' },
          ...(isNumbered ? [{ name: 'count', from: COUNT, format: 'parquet' as const }] : []),
        ],
        after: [],
      },
      ...(isNumbered ? [numberingOf(table)] : []),
    ],
    inputs: { [INPUT]: { rules, binding } },
    results: [],
    segments: [
      { table, columns, of: { stage: 's1', output: 'rows' } },
      { table: `${table}_rejects`, columns: REJECTS, of: rejects },
    ],
  }
}

/** What was dropped before it could be counted has no number, and comes last. */
function numberingOf(table: string): Stage {
  const before = `SELECT unit, sum(rows) OVER (ORDER BY unit) - rows AS rows FROM ${COUNT}`
  const numbered = `SELECT (dropped.row % ${ROWS_PER_UNIT} + before.rows)::BIGINT AS row, reason, record
    FROM ${DROPPED} AS dropped JOIN (${before}) AS before ON before.unit = dropped.row // ${ROWS_PER_UNIT}`
  return {
    id: 's2',
    about: `number what was dropped → write ${table}_rejects`,
    tasks: { over: 'one' },
    reads: [
      { as: DROPPED, from: 'stage', stage: 's1', output: 'rejects', part: 'whole' },
      { as: COUNT, from: 'stage', stage: 's1', output: 'count', part: 'whole' },
    ],
    program: [
      {
        op: 'view',
        as: 'numbered',
        sql: `FROM (${numbered} ORDER BY 1) UNION ALL FROM ${DROPPED} WHERE row IS NULL`,
      },
    ],
    outputs: [{ name: 'rejects', from: 'numbered', format: 'parquet' }],
    after: ['s1'],
  }
}
