// Goal: processes.json lists the running processes, whichever process writes it. Method: files of living and dead processes.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { ProcessesFile } from './processes.ts'

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'minga-processes-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const listIn = (folder: string): unknown =>
  JSON.parse(readFileSync(join(folder, 'processes.json'), 'utf8'))
const US = { pid: process.pid, role: 'agent' as const }
const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
after(() => other.kill())
const THEM = { pid: other.pid!, role: 'coordinator' as const }

test('what a living process of another command has written stays', async () => {
  const folder = newFolder()
  await new ProcessesFile(folder).write([THEM])
  const ours = new ProcessesFile(folder)
  await ours.write([US])
  await ours.write([])
  assert.deepEqual(listIn(folder), [THEM])
})

test('what the dead and the half-written have left is replaced', async () => {
  const { pid } = spawnSync(process.execPath, ['-e', ''])
  for (const left of [JSON.stringify([{ pid, role: 'coordinator' }]), '[{"pid":', '{}', 'null']) {
    const folder = newFolder()
    writeFileSync(join(folder, 'processes.json'), left)
    await new ProcessesFile(folder).write([US])
    assert.deepEqual(listIn(folder), [US])
  }
})

test('a list that cannot be written ends no process and leaves nothing behind', async () => {
  const folder = newFolder()
  mkdirSync(join(folder, 'processes.json', 'in the way'), { recursive: true })
  await new ProcessesFile(folder).write([US])
  assert.deepEqual(readdirSync(folder), ['processes.json'])
  writeFileSync(join(folder, 'no folder'), '')
  await new ProcessesFile(join(folder, 'no folder')).write([US])
})

test('our own list shrinks as our processes end, and nothing is left next to it', async () => {
  const folder = newFolder()
  const ours = new ProcessesFile(folder)
  await ours.write([US, THEM])
  await ours.write([US])
  assert.deepEqual(listIn(folder), [US])
  await ours.write([])
  assert.deepEqual(listIn(folder), [])
  assert.deepEqual(readdirSync(folder), ['processes.json'])
})

test('many commands that write at the same moment break nothing', async () => {
  const folder = newFolder()
  const files = Array.from({ length: 20 }, () => new ProcessesFile(folder))
  await Promise.all(files.map((file) => file.write([US])))
  assert.deepEqual(listIn(folder), [US])
})
