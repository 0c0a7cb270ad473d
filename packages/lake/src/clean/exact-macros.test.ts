// Goal: means are exact. Method: DuckDB's text and rank of a mean against the same in integers of any length.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { cleanRoom } from '../../test/clean/clean-fixture.ts'

const room = await cleanRoom()

/** Half to even, six decimals, of sum / count in units of 10^-scale. */
function meanText(sum: bigint, count: bigint, scale: number): string {
  const size = sum < 0n ? -sum : sum
  const [upper, lower] = [size * 1_000_000n, count * 10n ** BigInt(scale)]
  const whole = upper / lower
  const rest = 2n * (upper % lower)
  const isUp = rest > lower || (rest === lower && whole % 2n === 1n)
  const digits = (isUp ? whole + 1n : whole).toString().padStart(7, '0')
  const sign = sum < 0n && /[1-9]/.test(digits) ? '-' : ''
  return `${sign}${digits.slice(0, -6)}.${digits.slice(-6)}`
}

/** One expression over many rows: binding a macro takes longer than computing it. */
async function ask(expression: string, rows: string[][]): Promise<string[]> {
  const values = rows.map((row, place) => `(${[place, ...row].join(', ')})`).join(', ')
  const reader = await room.connection.runAndReadAll(
    `SELECT (${expression})::VARCHAR FROM (VALUES ${values}) AS v(place, total, n, scale) ORDER BY place`,
  )
  return (reader.getColumns() as string[][])[0]!
}

const sums = fc.oneof(fc.bigInt(-(10n ** 17n), 10n ** 17n), fc.bigInt(-2000n, 2000n))
const counts = fc.oneof(
  fc.bigInt(1n, 999_999_999n),
  fc.constantFrom(1n, 2n, 3n, 7n, 8n, 64n, 2_000_000n),
)

test('Percentile and rounding: a mean is printed with six decimals, half to even, whatever its sign', async () => {
  const cases = fc.sample(fc.tuple(sums, counts, fc.integer({ min: 0, max: 9 })), {
    seed: 1,
    numRuns: 500,
  })
  const halves = [1n, 3n, 5n, -1n, -3n, -5n].map((sum): [bigint, bigint, number] => [
    sum,
    2_000_000n,
    0,
  ])
  const all = [...halves, ...cases]
  const printed = await ask(
    'mean_text(total, n, scale)',
    all.map(([sum, count, scale]) => [`(${sum})::HUGEINT`, `${count}`, `${scale}`]),
  )
  assert.deepEqual(
    printed,
    all.map(([sum, count, scale]) => meanText(sum, count, scale)),
  )
})

test('the mean of decimals is the mean of their digits', async () => {
  const cases = fc.sample(fc.tuple(fc.bigInt(-(10n ** 15n), 10n ** 15n), counts), {
    seed: 2,
    numRuns: 500,
  })
  const decimal = (units: bigint) => {
    const digits = (units < 0n ? -units : units).toString().padStart(7, '0')
    return `'${units < 0n ? '-' : ''}${digits.slice(0, -6)}.${digits.slice(-6)}'::DECIMAL(38,6)`
  }
  const printed = await ask(
    'mean_text(total, n, 6)',
    cases.map(([units, count]) => [decimal(units), `${count}`, '6']),
  )
  assert.deepEqual(
    printed,
    cases.map(([units, count]) => meanText(units, count, 6)),
  )
})

test('ranks of means are ordered as the means are, to the last of them', async () => {
  const pairs = fc.sample(fc.tuple(sums, counts, sums, counts), { seed: 4, numRuns: 500 })
  // The nearest two fractions that there are with such counts, and equal ones in other words.
  const near: [bigint, bigint, bigint, bigint][] = [
    [999_999_997n, 999_999_998n, 999_999_998n, 999_999_999n],
    [-999_999_997n, 999_999_998n, -999_999_998n, 999_999_999n],
    [1n, 3n, 333_333_333n, 999_999_999n],
    [-7n, 2n, -3_500n, 1_000n],
  ]
  const all = [...near, ...pairs]
  const ranks = await ask(
    'mean_rank(total, n)',
    all.flatMap(([a, b, c, d]) => [
      [`(${a})::HUGEINT`, `${b}`, '0'],
      [`(${c})::HUGEINT`, `${d}`, '0'],
    ]),
  )
  for (const [place, [a, b, c, d]] of all.entries()) {
    const order = compare(a * d, c * b)
    const found = compare(BigInt(ranks[2 * place]!), BigInt(ranks[2 * place + 1]!))
    assert.equal(found, order, `${a}/${b} and ${c}/${d}`)
  }
})

const compare = (one: bigint, other: bigint): number => (one < other ? -1 : one > other ? 1 : 0)
