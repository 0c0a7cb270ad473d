/**
 * The settings of a child process. It may be started before they are known and load its program in the meantime:
 * then they come as a message. Neither way shows them in the list of processes.
 */
import { on } from 'node:events'

/** What a parent sends. */
export interface SettingsMessage {
  settings: unknown
}

/** From the variable, or else from the first message of the parent that holds settings; fails when the signal aborts. */
export async function childSettings(
  variable: string,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<unknown> {
  const text = env[variable]
  if (text !== undefined) return JSON.parse(text)
  for await (const [message] of on(process, 'message', { signal })) {
    if (isSettings(message)) return message.settings
  }
  throw new TypeError('The parent has sent no settings.')
}

const isSettings = (message: unknown): message is SettingsMessage =>
  typeof message === 'object' && message !== null && 'settings' in message
