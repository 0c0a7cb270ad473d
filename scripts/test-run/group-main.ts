/** A process that runs one test file or many, one after the other, and says of each how it ended. */
import { run } from 'node:test'
import { inspect } from 'node:util'
import path from 'node:path'
import { endedChildrenSeconds } from './busy-processors.ts'
import { GroupEvents, testFiles, type GroupMessage } from './group-messages.ts'
import { keepTestHooks } from './test-hooks.ts'

let sent: Promise<void> = Promise.resolve()
const events = new GroupEvents({
  send: (message: GroupMessage) => {
    sent = new Promise((resolve) => process.send?.(message, () => resolve()))
  },
  now: () => performance.now(),
  processorMs: () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1000 + endedChildrenSeconds() * 1000
  },
  // What a test threw is the cause of what node:test says of it.
  describe: (error) => inspect(error instanceof Error ? (error.cause ?? error) : error),
})

keepTestHooks()
const timeout = Number(process.argv[2])
const entry = path.join(import.meta.dirname, 'group-entry.ts')
for await (const event of run({ files: [entry], isolation: 'none', timeout })) events.take(event)
events.end()
await sent
// What one of many files left open does not keep this process from ending; a file of its own must close what it opened.
if (testFiles().length > 1) process.exit()
process.disconnect()
