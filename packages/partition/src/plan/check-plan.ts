/** Refuses what cannot be planned, in words that name it. */
import { BadPartitionInput } from '../errors.ts'
import type { PlanInput } from './plan-input.ts'
import { weightsOf } from './units.ts'

export function checkPlanInput(input: PlanInput): void {
  const { graph, parts, groups, latency, pausesMs, passes = 1, mostMovedPages = 0 } = input
  const hosts = graph.names.length
  checkParts(input)
  const lengths = [
    ['page counts', graph.pages.length, hosts],
    ['groups', groups?.length ?? hosts, hosts],
    ['pauses', pausesMs?.length ?? hosts, hosts],
    ['rows of latencies', latency?.vertices ?? hosts, hosts],
    ['columns of latencies', latency?.agents ?? parts.length, parts.length],
  ] as const
  for (const [what, length, needed] of lengths) {
    if (length === needed) continue
    throw new BadPartitionInput(`There are ${length} ${what}; ${needed} are needed`)
  }
  for (const [what, value] of Object.entries({ ...weightsOf(input), passes, mostMovedPages })) {
    if (value >= 0) continue
    throw new BadPartitionInput(`The plan's ${what} is ${value}; it must be a number from 0`)
  }
}

function checkParts({ parts }: PlanInput): void {
  if (new Set(parts.map(({ name }) => name)).size < parts.length) {
    throw new BadPartitionInput('Two parts have the same name')
  }
  const wrong = parts.find(({ capacity }) => !(capacity >= 0 && capacity < Infinity))
  if (wrong !== undefined) {
    throw new BadPartitionInput(`Part ${wrong.name} has the capacity ${wrong.capacity}`)
  }
  if (parts.some(({ capacity }) => capacity > 0)) return
  throw new BadPartitionInput('There is no part with any capacity')
}
