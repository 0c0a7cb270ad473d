/** A store in whose thread a test runs what it likes; only for stores of the test's own process. */
import type { Operation } from '@minga/store'

export const probe: { operation: Operation<object> } = { operation: async () => null }

export const operations = {
  probe: ((sql, args) => probe.operation(sql, args)) satisfies Operation<object>,
}
