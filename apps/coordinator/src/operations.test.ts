// Goal: no operation is lost because another room has one of the same name. Method: the lists that are
// put together are compared by name.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fleetOperations } from '@minga/fleet'
import { frontierOperations } from '@minga/frontier'
import { alertsOperations } from './watch/alerts/alerts-operations.ts'
import { archiveOperations } from './archive/archive-operations.ts'
import { registrarOperations } from './federation/registrar/registrar-operations.ts'
import { operations } from './operations.ts'
import { graphOperations } from './placement/graph/graph-operations.ts'
import { visitOperations } from './watch/visits/visit-operations.ts'
import { metricsOperations } from './watch/metrics/metrics-operations.ts'
import { watchesOperations } from './watch/watches-operations.ts'

const ROOMS: readonly Record<string, unknown>[] = [
  frontierOperations,
  fleetOperations,
  archiveOperations,
  alertsOperations,
  watchesOperations,
  visitOperations,
  metricsOperations,
  graphOperations,
  registrarOperations,
]

test('an operation that several rooms have is one of this program that calls them all', () => {
  const names = ROOMS.flatMap((room) => Object.keys(room))
  const twice = names.filter((name, i) => names.indexOf(name) !== i)
  const all: Record<string, unknown> = operations
  const lost = twice.filter((name) => ROOMS.some((room) => room[name] === all[name]))
  assert.deepEqual(lost, [])
})
