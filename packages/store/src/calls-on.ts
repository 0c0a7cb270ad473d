/** Operations without a store around them, on a database that the caller has opened. */
import type {
  Calls,
  Operation,
  OperationArgs,
  OperationResult,
  OperationTable,
  Sql,
} from './sql.ts'

/** The caller that opened `sql` handles transactions. */
export function callsOn<Ops extends OperationTable>(sql: Sql, operations: Ops): Calls<Ops> {
  return {
    call: async <K extends keyof Ops & string>(name: K, args: OperationArgs<Ops[K]>) => {
      const operation = operations[name] as Operation
      return (await operation(sql, args)) as OperationResult<Ops[K]>
    },
  }
}
