/**
 * Runs the agent of a lent machine as a child process under Node's permission model. This process stays: it passes on
 * the signals, answers what only a program can tell of the machine, and takes the agent with it however it ends.
 */
import { answerPower, readPower, type LentAgentSettings } from '@minga/agent'
import { systemClock, type Retry, type SettingsMessage } from '@minga/protocol'
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { agentProcess } from './agent-process.ts'
import { childEnvironment } from './child-environment.ts'
import { Reported } from './errors.ts'
import { EXIT } from './exit-codes.ts'

/** How the agent ended: by itself with an exit code, or by a signal. */
export interface AgentEnd {
  code: number
  signal: NodeJS.Signals | null
}

export interface LentAgentRun {
  settings: LentAgentSettings
  /** The agent finishes what is in flight. */
  stop: AbortSignal
  /** The agent ends at once. */
  kill: AbortSignal
}

/** Throws what the agent reports as the reason of its end. */
export async function runLentAgent(run: LentAgentRun): Promise<AgentEnd> {
  const obstacle = sandboxObstacle()
  if (obstacle === null) return runInSandbox(run)
  process.stderr.write(`minga: ${obstacle}\n`)
  const { startLentAgent } = await import('@minga/agent/lent-agent')
  await startLentAgent(run.settings, run.stop)
  return { code: EXIT.ok, signal: null }
}

/** Why the agent cannot have permissions of its own; null where it can. */
function sandboxObstacle(): string | null {
  if (process.permission !== undefined && !process.permission.has('child'))
    return 'this Node may start no other: the agent has the permissions of this one'
  if (!process.allowedNodeEnvironmentFlags.has('--permission'))
    return 'this Node has no permission model: the agent can read and start what you can'
  return null
}

async function runInSandbox({ settings, stop, kill }: LentAgentRun): Promise<AgentEnd> {
  const child = startChild(settings.data)
  let failure: Reported | null = null
  child.on('message', (message) => (failure ??= toFailure(message)))
  answerPower(child, { clock: systemClock, read: readPower })
  child.send({ settings } satisfies SettingsMessage, () => {})
  const tell = (): boolean => child.send('stop', () => {})
  stop.addEventListener('abort', tell)
  kill.addEventListener('abort', () => child.kill('SIGKILL'))
  if (stop.aborted) tell()
  // It comes when the channel is closed as well: until then the failure may be on its way.
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
  stop.removeEventListener('abort', tell)
  if (failure !== null) throw failure
  return { code: code ?? EXIT.error, signal }
}

function startChild(data: string): ChildProcess {
  const program = new URL(import.meta.resolve('@minga/agent/lent-main'))
  const { flags, env } = agentProcess(program, data)
  return fork(fileURLToPath(program), [], {
    env: { ...childEnvironment('agent', process.env), ...env },
    execArgv: ['--disable-warning=ExperimentalWarning', ...flags],
    // It reads nothing from a terminal, and code in it should not either.
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
}

/** What a process under permissions says is checked like what comes from elsewhere. */
function toFailure(message: unknown): Reported | null {
  if (typeof message !== 'object' || message === null || !('failed' in message)) return null
  const { code, message: text, retry } = Object(message.failed) as Record<string, unknown>
  return new Reported({
    code: String(code),
    message: String(text),
    retry: RETRIES.find((each) => each === retry) ?? 'never',
  })
}

const RETRIES: readonly Retry[] = ['now', 'later', 'never']
