/** A process that runs many test files, one after the other, and says of each how it ended. */
import path from 'node:path'
import { run } from 'node:test'
import { inspect } from 'node:util'
import { GroupEvents } from './group-messages.ts'

let sent: Promise<void> = Promise.resolve()
const events = new GroupEvents({
  send: (message) => {
    sent = new Promise((resolve) => process.send?.(message, () => resolve()))
  },
  now: () => performance.now(),
  processorMs: () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1000
  },
  // What a test threw is the cause of what node:test says of it.
  describe: (error) => inspect(error instanceof Error ? (error.cause ?? error) : error),
})
const timeout = Number(process.argv[2])
const entry = path.join(import.meta.dirname, 'group-entry.ts')
for await (const event of run({ files: [entry], isolation: 'none', timeout })) events.take(event)
events.end()
await sent
// What a file left open keeps none of the others from being reported, nor this process from ending.
process.exit()
