/** A store in whose thread a test runs what it likes; only for stores of the test's own process. */
import type { Operation, OperationTable } from '@minga/store'

export const probe: { operation: Operation } = { operation: async () => null }

/** The probe answers what the operation answers that the test has put there. */
export type ProbeOperations<R> = { probe: Operation<unknown, R> }

export const operations = {
  probe: (sql, args) => probe.operation(sql, args),
} satisfies OperationTable & ProbeOperations<unknown>
