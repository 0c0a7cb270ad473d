// Goal: station.json keeps its tokens, shows them to its owner only, and is never half a file.
// Method: written, read and broken in a temporary folder.
import assert from 'node:assert/strict'
import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../../../packages/store/test/contract-engines.ts'
import { readStationFile, stationTokens, writeStationFile } from './station-file.ts'

const PLACE = { url: 'http://127.0.0.1:7700', pid: 1 }

test('tokens live as long as the folder, and every folder has its own', async () => {
  const data = temporaryFolder()
  const tokens = await stationTokens(data)
  await writeStationFile(data, { ...PLACE, ...tokens })
  assert.deepEqual(await stationTokens(data), tokens)
  assert.deepEqual(await readStationFile(data), { ...PLACE, ...tokens })
  const others = await stationTokens(temporaryFolder())
  const all = [tokens.apiKey, tokens.joinToken, others.apiKey, others.joinToken]
  assert.equal(new Set(all).size, 4)
  for (const token of all) assert.match(token, /^[\w-]{32}$/)
})

test('the file is readable only by its owner and no other file is left there', async () => {
  const data = join(temporaryFolder(), 'new')
  await writeStationFile(data, { ...PLACE, ...(await stationTokens(data)) })
  assert.equal(statSync(join(data, 'station.json')).mode & 0o777, 0o600)
  assert.deepEqual(readdirSync(data), ['station.json'])
})

test('a file that is missing, broken or of something else is no station', async () => {
  const data = temporaryFolder()
  assert.equal(await readStationFile(data), null)
  for (const text of ['', '{"url":', 'null', '[]', '7', '"text"', '{"apiKey":5,"joinToken":""}']) {
    writeFileSync(join(data, 'station.json'), text)
    assert.equal(await readStationFile(data), null, text)
    const { apiKey, joinToken } = await stationTokens(data)
    assert.match(`${apiKey} ${joinToken}`, /^[\w-]{32} [\w-]{32}$/)
  }
})

test('a file with one field of another kind is no station, and what it says besides is passed over', async () => {
  const data = temporaryFolder()
  const whole = { ...PLACE, joinToken: 'join', apiKey: 'key' }
  const write = (file: object): void =>
    writeFileSync(join(data, 'station.json'), JSON.stringify(file))
  for (const wrong of [
    { url: 7 },
    { pid: 1.5 },
    { pid: '1' },
    { apiKey: '' },
    { joinToken: null },
  ]) {
    write({ ...whole, ...wrong })
    assert.equal(await readStationFile(data), null, JSON.stringify(wrong))
  }
  for (const workerToken of ['', null, 7]) {
    write({ ...whole, workerToken })
    assert.equal(await readStationFile(data), null, String(workerToken))
  }
  write({ ...whole, colour: 'blue' })
  assert.deepEqual(await readStationFile(data), whole)
})
