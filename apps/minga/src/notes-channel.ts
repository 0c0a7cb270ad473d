/** How notes of a supervisor reach the log: by the channel to its own coordinator, or over HTTP to a station elsewhere. */
import type { ChildProcess } from 'node:child_process'
import { systemClock } from '@minga/protocol'
import type { Carry } from './process-notes.ts'

interface Noted {
  noted: number
  isWritten: boolean
}

/** A coordinator that does not answer for so long has other worries; they are sent again. */
const ANSWER_MS = 10_000

let sent = 0

/** Whether a message of a coordinator is its answer to notes. */
export function isNoted(message: unknown): message is Noted {
  return typeof message === 'object' && message !== null && 'noted' in message
}

export function throughChannel(coordinator: ChildProcess): Carry {
  return async (notes) => {
    if (!coordinator.connected) return false
    const number = ++sent
    const done = new AbortController()
    let isWritten = false
    const hear = (message: unknown): void => {
      if (!isNoted(message) || message.noted !== number) return
      ;({ isWritten } = message)
      done.abort()
    }
    const end = (): void => done.abort()
    coordinator.on('message', hear)
    coordinator.once('exit', end)
    coordinator.send({ notes, number }, () => {})
    await systemClock.sleep(ANSWER_MS, done.signal)
    coordinator.off('message', hear)
    coordinator.off('exit', end)
    return isWritten
  }
}

/** A refusal is an answer: of a station that knows no notes, nothing is asked again and again. */
export function overHttp({ url, token }: { url: string; token: string }): Carry {
  return async (notes) => {
    const response = await fetch(`${url}/worker/notes`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ notes }),
      signal: AbortSignal.timeout(ANSWER_MS),
    })
    await response.arrayBuffer()
    return response.status < 500
  }
}
