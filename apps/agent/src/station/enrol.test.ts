// Goal: a machine gets one identity per station, needs a token once, and its private key stays at
// home. Method: the real files in a temporary folder, a written station on loopback, every byte
// inspected.
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { enrolProof, isProof, publicKeyOf } from '@minga/protocol'
import type { DeviceFile } from './device-file.ts'
import { knownDevice, type EnrolOptions } from './enrol.ts'
import { StationRefused } from '../errors.ts'
import { FACTS, startStationServer } from '../../test/station/station-client-fixture.ts'

const never = new AbortController().signal

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'minga-enrol-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return folder
}

const fileIn = (data: string): DeviceFile =>
  JSON.parse(readFileSync(join(data, 'device.json'), 'utf8')) as DeviceFile

async function startEnrolling(t: TestContext) {
  let enrolled = 0
  const server = await startStationServer(t, () => ({ json: { device: `dev_${++enrolled}` } }))
  const data = folderOf(t)
  const options: EnrolOptions = {
    url: server.url,
    station: server.url,
    data,
    name: 'tester',
    facts: FACTS,
  }
  return { server, data, options }
}

test('the first start makes a key and shows the token; the next ones need neither token nor station', async (t) => {
  const { server, data, options } = await startEnrolling(t)
  const first = await knownDevice({ ...options, token: 'a-token' }, never)
  assert.equal(first.id, 'dev_1')
  const [call] = server.calls
  assert.equal(call?.authorization, 'Bearer a-token')
  const { publicKey, signature, name, facts } = call.message as Record<string, string>
  assert.deepEqual({ name, facts }, { name: 'tester', facts: FACTS })
  const key = publicKeyOf(publicKey!)
  assert.ok(key && isProof(key, enrolProof(publicKey!, 'a-token'), signature!))
  const again = await knownDevice(options, never)
  assert.equal(again.id, 'dev_1')
  assert.equal(server.calls.length, 1)
  assert.equal(fileIn(data).station, server.url)
})

test('the private key is readable by its owner only and is never sent', async (t) => {
  const { server, data, options } = await startEnrolling(t)
  await knownDevice({ ...options, token: 'a-token' }, never)
  assert.equal(statSync(join(data, 'device.json')).mode & 0o777, 0o600)
  const { privateKey } = fileIn(data)
  assert.match(privateKey, /^[\w-]{43}$/)
  for (const { body } of server.calls) assert.equal(body.includes(privateKey), false)
})

test('without a token a new machine, and a known one at another station, gets an error with what it needs', async (t) => {
  const { server, data, options } = await startEnrolling(t)
  await assert.rejects(knownDevice(options, never), { code: 'MINGA_TOKEN_NEEDED' })
  await knownDevice({ ...options, token: 'a-token' }, never)
  const elsewhere = { ...options, station: 'https://other.example' }
  await assert.rejects(knownDevice(elsewhere, never), /holds a device of http:\/\/127\.0\.0\.1/)
  assert.equal(server.calls.length, 1)
  assert.equal(fileIn(data).device, 'dev_1')
})

test('another station gets another key; the same one after a lost answer gets the same key', async (t) => {
  const { server, options } = await startEnrolling(t)
  const { answer } = server
  server.answer = () => 'reset'
  const withToken = { ...options, token: 'a-token' }
  await assert.rejects(knownDevice(withToken, never))
  server.answer = answer
  await knownDevice(withToken, never)
  await knownDevice({ ...withToken, station: 'https://other.example' }, never)
  const [lost, first, other] = server.calls.map(({ message }) => message['publicKey'])
  assert.equal(lost, first)
  assert.notEqual(first, other)
})

test('a refused token is reported in the words of the station, and may be tried again with another', async (t) => {
  const { server, options } = await startEnrolling(t)
  const { answer } = server
  const error = { code: 'MINGA_TOKEN_USED', message: 'This join token serves only once.' }
  server.answer = () => ({ status: 401, json: { error } })
  await assert.rejects(knownDevice({ ...options, token: 'spent' }, never), (refused) => {
    assert.ok(refused instanceof StationRefused)
    assert.match(refused.message, /MINGA_TOKEN_USED: This join token serves only once\.$/)
    return true
  })
  server.answer = answer
  assert.equal((await knownDevice({ ...options, token: 'fresh' }, never)).id, 'dev_1')
})

for (const text of ['', '{"device":', '[]', '{"device":"dev_1"}']) {
  test(`a device file that holds ${JSON.stringify(text)} is left alone and named`, async (t) => {
    const { data, options } = await startEnrolling(t)
    writeFileSync(join(data, 'device.json'), text)
    const bad = { code: 'MINGA_BAD_DEVICE_FILE' }
    await assert.rejects(knownDevice({ ...options, token: 'a-token' }, never), bad)
    assert.equal(readFileSync(join(data, 'device.json'), 'utf8'), text)
  })
}
