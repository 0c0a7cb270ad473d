/**
 * Power supply and line of the machine, for an agent that may start no programs: its parent process
 * reads them and answers. The question has no parameters, so that code which took the agent over
 * can make its parent do nothing else.
 */
import type { Clock } from '@minga/protocol'
import type { ChildProcess } from 'node:child_process'
import { on } from 'node:events'
import type { Power } from '../system/os.ts'

const QUESTION = 'power'

interface PowerAnswer {
  power: Power
}

/** Some systems are asked by starting a program, and an agent has reason to ask twice a minute. */
const ANSWER_AGE_MS = 10_000

/** In the agent: asks the process that started it. */
export async function askParentForPower(): Promise<Power> {
  const messages = on(process, 'message')
  process.send?.(QUESTION)
  for await (const [message] of messages) {
    if (isAnswer(message)) return message.power
  }
  throw new TypeError('The parent has not said how the machine is powered.')
}

/** In the parent: answers each question of the agent, and reads again only when the last answer has become old. */
export function answerPower(
  child: ChildProcess,
  { clock, read }: { clock: Pick<Clock, 'monotonicMs'>; read: () => Promise<Power> },
): void {
  let last: { atMs: number; power: Promise<Power> } | null = null
  const answer = async (): Promise<void> => {
    const nowMs = clock.monotonicMs()
    if (last === null || nowMs - last.atMs >= ANSWER_AGE_MS) last = { atMs: nowMs, power: read() }
    const power = await last.power
    // An agent that has ended by now needs no answer.
    if (child.connected) child.send({ power } satisfies PowerAnswer, () => {})
  }
  child.on('message', (message) => {
    if (message === QUESTION) void answer()
  })
}

function isAnswer(message: unknown): message is PowerAnswer {
  return typeof message === 'object' && message !== null && 'power' in message
}
