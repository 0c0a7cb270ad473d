/** The agent that is at work in a folder, found by the file that its page leaves there. */
import { lockFolder, readDeviceFile, readPageFile, type AgentView } from '@minga/agent'
import { isMingaError } from '@minga/protocol'
import { AgentNotRunning, AgentWithoutPage, NoAgentFolder, Reported } from '../../errors.ts'

export interface RunningAgent {
  url: string
  pid: number
  view: AgentView
  get<T>(path: string): Promise<T>
  post<T>(path: string): Promise<T>
}

/** It answers within milliseconds, unless the machine is very busy. */
const ANSWER_MS = 5_000

/** Null when none answers: it is stopped, or has no page. */
export async function findAgent(data: string): Promise<RunningAgent | null> {
  const page = await readPageFile(data)
  if (page === null) return null
  const call = async <T>(method: string, path: string): Promise<T> => {
    const response = await fetch(`${page.url}${path}`, {
      method,
      headers: { 'x-minga-token': page.token },
      signal: AbortSignal.timeout(ANSWER_MS),
    })
    const answer: unknown = await response.json()
    if (!response.ok) throw new Reported(answer as { code: string; message: string })
    return answer as T
  }
  try {
    const view = await call<AgentView>('GET', '/api/view')
    const get = <T>(path: string): Promise<T> => call('GET', path)
    const post = <T>(path: string): Promise<T> => call('POST', path)
    return { url: page.url, pid: page.pid, view, get, post }
  } catch {
    // No process there, another process, or an agent that does not know this token: not ours.
    return null
  }
}

export async function requireAgent(data: string): Promise<RunningAgent> {
  const agent = await findAgent(data)
  if (agent !== null) return agent
  await whileStopped(data, async () => {})
  throw new AgentNotRunning(data)
}

/** Does something with the folder of a stopped agent, which cannot start in the meantime. */
export async function whileStopped<R>(data: string, work: () => Promise<R>): Promise<R> {
  if ((await readDeviceFile(data)) === null) throw new NoAgentFolder(data)
  let free: () => void
  try {
    free = await lockFolder(data)
  } catch (error) {
    if (isMingaError(error) && error.code === 'MINGA_AGENT_RUNNING')
      throw new AgentWithoutPage(data)
    throw error
  }
  try {
    return await work()
  } finally {
    free()
  }
}
