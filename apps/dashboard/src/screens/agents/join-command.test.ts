// Goal: the copied line does what was chosen, and nothing else can get into it. Method: limits by hand.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { badLimits, isOnlyHere, joinAgain, joinCommand, NO_LIMITS } from './join-command.ts'

const STATION = 'https://station.example'
const PLACE = { station: STATION, programPath: '/downloads/minga-agent-0.1.0.tgz' }
const INSTALL = 'npm install -g https://station.example/downloads/minga-agent-0.1.0.tgz'

test('one line installs the program of the station and joins', () => {
  const line = joinCommand(PLACE, 'minga_join_x')
  assert.equal(line, `${INSTALL} && minga-agent join ${STATION} --token minga_join_x`)
  assert.equal(joinAgain(PLACE), `minga-agent join ${STATION}`)
})

test('without a program to install the line is for machines that have Minga itself', () => {
  const place = { ...PLACE, programPath: null }
  assert.equal(joinCommand(place, 'x'), `minga agent join ${STATION} --token x`)
  assert.equal(joinAgain(place), `minga agent join ${STATION}`)
})

test('an address on loopback is known to be reached from one machine only', () => {
  const here = ['http://localhost:7700', 'http://127.0.0.1:7700', 'http://[::1]:7700']
  assert.deepEqual(here.map(isOnlyHere), [true, true, true])
  const elsewhere = ['https://station.example', 'https://192.168.1.7:7700']
  assert.deepEqual(elsewhere.map(isOnlyHere), [false, false])
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
    joinCommand(PLACE, 't', limits),
    `${INSTALL} && minga-agent join ${STATION} --token t --bandwidth 1MB --monthly 20GB ` +
      '--hours 22:00-07:00,12:00-13:00 --cpu 0.5 --no-pause-on-battery --no-pause-on-metered',
  )
})

test('what no agent understands is named, and is not in the line', () => {
  const limits = { ...NO_LIMITS, bandwidth: '1MB; rm -rf ~', hours: 'at night', cpu: '$(x)' }
  assert.deepEqual(badLimits(limits), ['bandwidth', 'hours', 'cpu'])
  assert.equal(joinCommand(PLACE, 't', limits), joinCommand(PLACE, 't'))
})
