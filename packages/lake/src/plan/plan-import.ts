/**
 * An import is a query of one stage: each task cleans a unit of the input and writes it as a segment of the table, and
 * what it dropped as a segment of the table beside it. All of them appear at once, when the last task is done.
 */
import { columnType } from '../clean/field-sql.ts'
import type { Binding, Column, InputRules, Plan } from '../model.ts'

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

export function planImport({ table, rules, binding }: ImportAsked): Plan {
  const columns = Object.entries(rules.columns).map(([name, rule]) => ({
    name,
    type: columnType(rule),
  }))
  const names = columns.map(({ name }) => name)
  const [as, rejectsAs, input] = ['input_rows', 'input_rejects', 'input']
  return {
    stages: [
      {
        id: 's1',
        about: `read input → write ${table}`,
        tasks: { over: 'input', input },
        reads: [{ as, from: 'input', input, columns: names, withRow: false, rejectsAs }],
        program: [],
        outputs: [
          { name: 'rows', from: as, columns: names, format: 'parquet' },
          { name: 'rejects', from: rejectsAs, format: 'parquet' },
        ],
        after: [],
      },
    ],
    inputs: { [input]: { rules, binding } },
    results: [],
    segments: [
      { table, columns, of: { stage: 's1', output: 'rows' } },
      { table: `${table}_rejects`, columns: REJECTS, of: { stage: 's1', output: 'rejects' } },
    ],
  }
}
