// Goal: a fuzzer that others wrote finds no request, made from the document of the API, that a station answers with a
// 500, and no answer that the document does not allow. Method: a real station without agents and the program
// schemathesis (of PyPI) with the operator's key; a bounded number of requests to every operation that ends.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { CollectionStatus } from '@minga/protocol'
import { endAllProcesses, startProcess } from '@minga/testkit'
import { callStation, startStation, type Station } from './station-process.ts'

const SEED = process.env['MINGA_SEED'] ?? '18'
const PER_OPERATION = 15
/** It takes three minutes of an idle machine. */
const PATIENCE_MS = 900_000
const CHECKS = ['not_a_server_error', 'content_type_conformance', 'response_schema_conformance']
const EXCLUDED = [
  // Streams that never end, and the call that waits for an agent.
  '/(events|stream)$',
  '^/api/requests$',
  // After one of these all further requests would be refused: they end the key, or the rights of its account.
  '^/api/(keys/{id}(/rotate)?|accounts/{id}/roles|me/deletion)$',
].join('|')

const folder = mkdtempSync(join(tmpdir(), 'minga-schemathesis-'))
after(async () => {
  await endAllProcesses()
  rmSync(folder, { recursive: true, force: true })
})

const PROGRAM = 'schemathesis'

function reasonToSkip(): string | false {
  if (process.env['MINGA_LONG'] !== '1')
    return 'It takes minutes: only `npm run test:long` runs it.'
  const isThere = spawnSync(PROGRAM, ['--version']).status === 0
  return !isThere && 'There is no program `schemathesis` (of PyPI) on the PATH.'
}

function argumentsFor({ url, apiKey }: Station): string[] {
  const options = {
    header: `Authorization: Bearer ${apiKey}`,
    checks: CHECKS.join(','),
    phases: 'coverage,fuzzing',
    'max-examples': String(PER_OPERATION),
    seed: SEED,
    'request-timeout': '30',
    'exclude-path-regex': EXCLUDED,
    'generation-database': 'none',
    warnings: 'off',
  }
  const named = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value])
  return ['run', `${url}/api/openapi.json`, '--continue-on-failure', '--no-color', ...named]
}

test(
  'schemathesis finds no request that is answered with a 500, or against the document',
  { skip: reasonToSkip() },
  async (t) => {
    t.diagnostic(`MINGA_SEED=${SEED}`)
    const station = await startStation(join(folder, 'station'), { workers: 1 })
    const fuzzing = await startProcess(PROGRAM, argumentsFor(station), { cwd: folder })
    const { code } = await fuzzing.waitExit(PATIENCE_MS)
    const [, summary = fuzzing.stdout()] = /=+ SUMMARY =+\n(.*)/s.exec(fuzzing.stdout()) ?? []
    assert.equal(code, 0, fuzzing.stdout() + fuzzing.stderr())
    t.diagnostic(summary)
    // The key still opens: else most requests would have been refused before anything looked at them.
    await callStation<CollectionStatus[]>(station, ['GET', '/collections'])
  },
)
