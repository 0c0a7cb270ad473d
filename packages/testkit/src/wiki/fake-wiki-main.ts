/**
 * A fake wiki as a process of its own, for benchmarks and crash tests:
 *   node fake-wiki-main.ts --spec FILE --log FILE
 * Prints `ready PORT`. Lines of its standard input are orders, `{"perform":[…]}` or `{"fail":[…]}`,
 * each answered with `done RESULT`. It stops on SIGTERM or when that input closes, so that it cannot
 * outlive the test that started it.
 */

import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'

import { startFakeWiki, type FakeWikiSpec } from './fake-wiki.ts'
import type { WikiOperation } from './operation.ts'
import type { WikiFault } from './wiki-faults.ts'

interface Order {
  perform?: WikiOperation[]
  fail?: WikiFault[]
}

const { values } = parseArgs({ options: { spec: { type: 'string' }, log: { type: 'string' } } })
const spec: FakeWikiSpec = JSON.parse(readFileSync(values.spec ?? '', 'utf8'))
const wiki = await startFakeWiki(
  { ...spec, ...(values.log === undefined ? {} : { logFile: values.log }) },
  { keepHits: false, logAtOnce: true },
)

async function stop(): Promise<void> {
  await wiki.close()
  process.exit(0)
}

process.once('SIGTERM', () => void stop())
process.once('SIGINT', () => void stop())
const orders = createInterface({ input: process.stdin })
orders.on('line', (line) => {
  const { perform = [], fail = [] }: Order = JSON.parse(line)
  wiki.fail(...fail)
  console.log(`done ${JSON.stringify(wiki.perform(perform))}`)
})
orders.once('close', () => void stop())
console.log(`ready ${wiki.port}`)
