// Goal: set-up is counted apart from tests, and what runs at the same time is not counted twice. Method: made-up stages.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { busySeconds } from './busy-processors.ts'
import { stageTable, wallSeconds, type StageLine } from './stage-table.ts'

const line = (
  name: string,
  kind: StageLine['kind'],
  beganMs: number,
  seconds: number,
): StageLine => ({
  name,
  kind,
  ok: true,
  beganMs,
  seconds,
})

test('stages side by side take as long as the longest of them', () => {
  const lines = [
    line('unit', 'test', 1_000, 10),
    line('waiting', 'test', 1_000, 25),
    line('e2e', 'test', 11_000, 10),
  ]
  assert.equal(wallSeconds(lines), 25)
  assert.equal(wallSeconds([]), 0)
})

test('the table has a line for each stage, and sums of set-up and tests', () => {
  const lines = [
    line('system', 'set-up', 0, 40),
    line('lint', 'check', 40_000, 5),
    line('unit', 'test', 45_000, 100),
  ]
  const table = stageTable(lines, 190)
  assert.deepEqual(table, [
    'stage               seconds   processor seconds',
    'system                 40.0',
    'lint                    5.0',
    'unit                  100.0',
    'set-up                 40.0',
    'checks and tests      105.0               190.0',
  ])
})

test('processors were busy for all the time in which they were not idle', () => {
  assert.equal(busySeconds({ idle: 1_000, all: 4_000 }, { idle: 2_000, all: 8_000 }), 3)
})
