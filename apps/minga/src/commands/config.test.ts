// Goal: an operator shows and changes settings from the command line, of a station that runs and of a
// folder. Method: the real command line as processes against a real station on loopback.
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import type { SettingView, ShownChange } from '@minga/coordinator'
import { endAllProcesses, startProcess } from '@minga/testkit'
import { MINGA, runMinga, type Ended } from '../../test/commands/minga-fixture.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'minga-config-'))
const data = path.join(folder, 'station')
after(async () => {
  await endAllProcesses()
  rmSync(folder, { recursive: true, force: true })
})

const config = (...args: string[]): Promise<Ended> => runMinga(['config', ...args])

async function shown(...args: string[]): Promise<Map<string, SettingView>> {
  const { out } = await config('show', '--json', ...args)
  const { settings } = JSON.parse(out) as { settings: SettingView[] }
  return new Map(settings.map((setting) => [setting.name, setting]))
}

interface StationFile {
  url: string
  apiKey: string
}

async function startStation(): Promise<StationFile> {
  const up = ['up', '--no-agent', '--port', '0', '--delay', '250', '--data', data]
  await startProcess(process.execPath, [MINGA, ...up])
  const file = path.join(data, 'station.json')
  while (!existsSync(file)) await new Promise((wake) => setTimeout(wake, 50))
  return JSON.parse(readFileSync(file, 'utf8')) as StationFile
}

test('settings are shown, changed and reset while the station runs, and the changes are listed', async () => {
  const station = await startStation()
  const there = ['--data', data]
  const remote = ['--station', `${station.url}/`, '--key', station.apiKey]
  assert.deepEqual(
    [(await shown(...there)).get('delayMs')!.value, (await shown(...there)).get('delayMs')!.source],
    [250, 'flag'],
  )
  const set = await config('set', 'strategy', 'fastest', '--note', 'they differ', ...remote)
  assert.deepEqual([set.code, set.out], [0, ''])
  assert.match(set.err, /strategy is fastest \(from the next block on/)
  assert.equal((await config('set', 'openRequestsMax', '9', ...there)).code, 0)
  assert.equal((await config('set', 'openRequestsMax', 'null', '--json', ...there)).code, 0)
  assert.equal((await config('reset', 'strategy', ...there)).code, 0)
  const now = await shown(...remote)
  assert.equal(now.get('strategy')!.source, 'default')
  assert.deepEqual(
    [now.get('openRequestsMax')!.value, now.get('openRequestsMax')!.source],
    [null, 'changed'],
  )
  const told = (await config('changes', '--limit', '3', ...there)).out.trim().split('\n')
  assert.equal(told.length, 3)
  assert.match(told[0]!, /^\S+Z operator strategy: fastest → least-busy$/)
  const { changes } = JSON.parse((await config('changes', '--json', ...there)).out) as {
    changes: ShownChange[]
  }
  assert.equal(changes.at(-1)!.note, 'they differ')
  const table = (await config('show', ...there)).out
  assert.match(table, /^delayMs +250 ms +flag +Delay between/m)
})

test('what may not be is said in one sentence, with code 2, and changes nothing', async () => {
  const there = ['--data', data]
  const wrong = await config('set', 'blockMax', '0', ...there)
  assert.equal(wrong.code, 2)
  assert.match(
    wrong.err,
    /^minga: No setting was changed: blockMax must be .*MINGA_BAD_SETTING\)\n$/,
  )
  const none = await config('set', 'blokMax', '5', ...there)
  assert.match(none.err, /blokMax is not a setting/)
  const note = await config('set', 'note', '5', ...there)
  assert.equal(note.code, 2)
  const keyless = await config('show', '--station', 'http://127.0.0.1:1')
  assert.equal(keyless.code, 2)
  const nowhere = await config('show', '--data', path.join(folder, 'mistyped'))
  assert.equal(nowhere.code, 2)
  assert.equal(existsSync(path.join(folder, 'mistyped')), false)
  assert.equal((await shown(...there)).get('blockMax')!.source, 'default')
})

test('a folder that no station serves is opened, and its settings wait for the next start', async () => {
  await endAllProcesses()
  const there = ['--data', data]
  const { code, err } = await config('set', 'cacheMs', '1234', ...there)
  assert.equal(code, 0, err)
  const { value, changedBy } = (await shown(...there)).get('cacheMs')!
  assert.deepEqual([value, changedBy], [1_234, 'operator'])
})
