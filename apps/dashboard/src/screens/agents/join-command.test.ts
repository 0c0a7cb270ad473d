// Goal: the copied line does what was chosen, and nothing else can get into it. Method: limits by hand.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { badLimits, joinCommand, NO_LIMITS } from './join-command.ts'

const STATION = 'https://station.example'

test('the command to join is one line', () => {
  assert.equal(
    joinCommand(STATION, 'minga_join_x'),
    'minga agent join https://station.example --token minga_join_x',
  )
})

test('limits that were chosen become options', () => {
  const limits = {
    ...NO_LIMITS,
    bandwidth: '1 MB',
    monthly: '20GB',
    hours: '22:00-07:00, 12:00-13:00',
    cpu: '0.5',
    worksOnBattery: true,
    worksOnMetered: true,
  }
  assert.equal(
    joinCommand(STATION, 't', limits),
    `minga agent join ${STATION} --token t --bandwidth 1MB --monthly 20GB ` +
      '--hours 22:00-07:00,12:00-13:00 --cpu 0.5 --no-pause-on-battery --no-pause-on-metered',
  )
})

test('what no agent understands is named, and is not in the line', () => {
  const limits = { ...NO_LIMITS, bandwidth: '1MB; rm -rf ~', hours: 'at night', cpu: '$(x)' }
  assert.deepEqual(badLimits(limits), ['bandwidth', 'hours', 'cpu'])
  assert.equal(joinCommand(STATION, 't', limits), `minga agent join ${STATION} --token t`)
})
