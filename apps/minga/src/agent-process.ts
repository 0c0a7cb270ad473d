/** With which flags and variables an agent runs as a process of its own: under Node's permission model. */
import { permissionFlags, withoutPreloads } from '@minga/agent'
import { getCompileCacheDir } from 'node:module'
import { resolve } from 'node:path'
import { BadOption } from './errors.ts'

export interface AgentProcess {
  flags: string[]
  env: Record<string, string>
}

export function agentProcess(program: URL, folder: string): AgentProcess {
  const data = resolve(folder)
  // Node takes it as a wildcard, which would give the agent other folders as well.
  if (data.includes('*')) throw new BadOption('--data', 'a folder without * in its path', data)
  const cache = agentCache()
  const shared = [...Object.values(cache), process.env['MINGA_FAULTS_DIR'] ?? []].flat()
  return {
    flags: permissionFlags({ program, data, shared }),
    env: { ...cache, ...nodeOptions() },
  }
}

/** Agents have compiled code of their own: what they may write, no other program of the user runs. */
function agentCache(): Record<string, string> {
  const folder = getCompileCacheDir()
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: `${folder}-agents` }
}

function nodeOptions(): Record<string, string> {
  const { NODE_OPTIONS: given } = process.env
  return given === undefined ? {} : { NODE_OPTIONS: withoutPreloads(given) }
}
