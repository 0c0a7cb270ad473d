/**
 * A fake web as a process of its own, for benchmarks and crash tests:
 *   node fake-web-main.ts --spec FILE [--port N] [--log FILE [--log-at-once]]
 * Prints `ready PORT`, and stops on SIGTERM or when its standard input closes, so that it cannot
 * outlive the test that started it.
 */

import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

import { BadFakeWebSpec } from './errors.ts'
import { startFakeWeb } from './fake-web.ts'
import type { FakeWebSpec } from './web/spec.ts'

const { values } = parseArgs({
  options: {
    spec: { type: 'string' },
    port: { type: 'string' },
    log: { type: 'string' },
    'log-at-once': { type: 'boolean', default: false },
  },
})

function readSpec(): FakeWebSpec {
  if (values.spec === undefined) throw new BadFakeWebSpec('--spec FILE is missing')
  const spec: FakeWebSpec = JSON.parse(readFileSync(values.spec, 'utf8'))
  if (values.port !== undefined) spec.port = Number(values.port)
  if (values.log !== undefined) spec.logFile = values.log
  return spec
}

const web = await startFakeWeb(readSpec(), {
  keepHits: false,
  logAtOnce: values['log-at-once'],
})

async function stop(): Promise<void> {
  await web.close()
  process.exit(0)
}

process.once('SIGTERM', () => void stop())
process.once('SIGINT', () => void stop())
process.stdin.once('end', () => void stop()).resume()
console.log(`ready ${web.port}`)
