/**
 * How many pages each host has: a power law between one page and those of the densest host, with the mean
 * that is asked for. Drawn in strata (one host from each n-th of the distribution), so that seeds differ in
 * detail but not by a lucky giant.
 */
import type { Random } from '@minga/partition'

export interface PageCountRules {
  hosts: number
  /** Of all hosts together, met exactly. */
  pages: number
  /** Of the densest host, met exactly. */
  densest: number
}

/** The densest host comes first, the others in any order. */
export function drawPageCounts(rules: PageCountRules, random: Random): Int32Array {
  const { hosts, densest } = rules
  const exponent = exponentFor(rules)
  const counts = new Int32Array(hosts)
  counts[0] = densest
  for (let i = 1; i < hosts; i++) {
    const share = (i - 1 + random.below(1_000_000) / 1_000_000) / (hosts - 1)
    counts[i] = Math.min(densest - 1, Math.round(boundedPareto(share, exponent, densest)))
  }
  random.shuffle(counts.subarray(1))
  meetTotal(counts, rules, random)
  return counts
}

/** The value below which the share lies, for densities x^(−exponent − 1) between 1 and `most`. */
function boundedPareto(share: number, exponent: number, most: number): number {
  return (1 - share * (1 - most ** -exponent)) ** (-1 / exponent)
}

/** By bisection: a steeper law has fewer pages. */
function exponentFor({ hosts, pages, densest }: PageCountRules): number {
  let [low, high] = [0.01, 4]
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2
    let sum = densest
    for (let i = 1; i < hosts; i++) sum += boundedPareto((i - 0.5) / (hosts - 1), middle, densest)
    if (sum > pages) low = middle
    else high = middle
  }
  return (low + high) / 2
}

/** What rounding and chance left over is made good a hundredth at a time, on hosts drawn by lot. */
function meetTotal(
  counts: Int32Array,
  { pages, densest, hosts }: PageCountRules,
  random: Random,
): void {
  let missing = pages - counts.reduce((sum, count) => sum + count, 0)
  while (missing !== 0) {
    const host = 1 + random.below(hosts - 1)
    const step = Math.max(1, Math.floor(counts[host]! / 100))
    const change = missing > 0 ? Math.min(step, missing) : -Math.min(step, -missing)
    const changed = counts[host]! + change
    if (changed < 1 || changed >= densest) continue
    counts[host] = changed
    missing -= change
  }
}
