// Goal: what starts with every worker stays small. Method: each program is loaded by a process of its own, which tells
// what it read.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'

/** Not so by main.ts, which begins to work as soon as it is read. */
const PROGRAMS = ['./start-worker.ts', './heartbeat-main.ts']

const TELL = `
  import { registerHooks } from 'node:module'
  const urls = []
  registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) })
  await import(process.argv[1])
  process.stdout.write(JSON.stringify(urls))
`

function filesOf(program: string): string[] {
  const url = new URL(program, import.meta.url).href
  const args = ['--input-type=module', '--eval', TELL, url]
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  assert.notEqual(stdout, '', stderr)
  return JSON.parse(stdout) as string[]
}

for (const program of PROGRAMS) {
  test(`${program} reads neither checks of messages nor what archives are read with`, () => {
    const files = filesOf(program)
    assert.ok(files.some((url) => url.endsWith(program.slice(1))))
    const heavy = files.filter((url) => /\/(zod|packages\/(archive|net|wiki))\//.test(url))
    assert.deepEqual(heavy, [])
  })
}
