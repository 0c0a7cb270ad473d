// Goal: the formulas are the thesis's. Method: three servers, two robots and a handful of links, computed by hand.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { downloadS, exchangeS, redistributionS, THESIS_ALGEBRA } from './algebra.ts'

/** Server 0: 100 pages, 1: 50, 2: 200; each robot is 0.1, 0.05 and 0.2 s away from them. */
const WEB = {
  robots: 2,
  pages: [100, 50, 200],
  serverRttS: (server: number): number => [0.1, 0.05, 0.2][server]!,
  robotRttS: (): number => 0.08,
}
const OWNERS = Int32Array.of(0, 0, 1)
const LINKS = {
  tails: Int32Array.of(0, 1, 2, 0),
  heads: Int32Array.of(2, 2, 0, 1),
  links: Float64Array.of(1_000, 500, 250, 7),
}

const near = (got: number, wanted: number): void =>
  assert.ok(Math.abs(got - wanted) < 1e-9, `${got} is not ${wanted}`)

test('Algebraic evaluator: three servers take as long as computed by hand, and the slowest robot counts', () => {
  // Robot 0: 10 connections of (0.2 + 50 + 15) s and 5 of (0.1 + 50 + 15) s, ten at once: 97.75 s.
  // Robot 1: 20 of (0.4 + 50 + 15) s: 130.8 s.
  near(downloadS(WEB, OWNERS), 130.8)
  near(downloadS(WEB, Int32Array.of(0, 0, 0)), (652 + 325.5 + 1_308) / 10)
})

test('Algebraic evaluator: links between robots take their round trips and bytes, and those within take nothing', () => {
  // Robot 0 forwards 1,500 links of 40 bytes at 2,000 bytes per second, robot 1 forwards 250.
  near(exchangeS(WEB, LINKS, OWNERS), (0.16 + 30) / 10)
  near(exchangeS(WEB, LINKS, Int32Array.of(1, 1, 1)), 0.16 / 10)
})

test('Algebraic evaluator: links forwarded at once are not the connections of the download', () => {
  const rules = { ...THESIS_ALGEBRA, linksAtOnce: 5 }
  near(exchangeS(WEB, LINKS, OWNERS, rules), (0.16 + 30) / 5)
  near(downloadS(WEB, OWNERS, rules), 130.8)
})

test('Algebraic evaluator: a host that moves takes its URLs along', () => {
  near(redistributionS(WEB, OWNERS, Int32Array.of(0, 1, 1)), (0.16 + 1) / 10)
  near(redistributionS(WEB, OWNERS, OWNERS), 0.16 / 10)
})
