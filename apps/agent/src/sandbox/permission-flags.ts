/**
 * Flags for Node with which an agent runs: it reads its own program and its own folder, writes its
 * own folder, and starts no program and no native addon. It parses what strangers send; a mistake
 * there must not reach the keys of the station or the files of the machine's owner. This stops
 * JavaScript, not native code that was taken over: for that it runs as a separate user
 * (scripts/systemd).
 */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { networkFiles } from '../system/os.ts'

export interface SandboxFolders {
  /** The main module of the agent: a bundled file, or a source in a checkout. */
  program: URL
  /** The agent's own folder. */
  data: string
  /** Folders that tests of crashes share with the processes that they crash. */
  shared?: readonly string[]
}

export function permissionFlags({ program, data, shared = [] }: SandboxFolders): string[] {
  // Node takes a folder that is not there yet for a file: what will be in it is named as well.
  const writable = [data, ...shared].flatMap((folder) => [folder, join(folder, '*')])
  const readable = [...programFolders(program), ...networkFiles(), ...writable]
  return [
    '--permission',
    // Pages are read, and heartbeats sent, in threads. `restrictWorkers` keeps these from shedding the flags.
    '--allow-worker',
    '--disable-warning=SecurityWarning',
    // Node's SQLite opens files without asking for permission, the station's database among them.
    ...(process.allowedNodeEnvironmentFlags.has('--experimental-sqlite')
      ? ['--no-experimental-sqlite']
      : []),
    // Newer versions of Node refuse the network unless it is named; this one does not know the flag.
    ...(process.allowedNodeEnvironmentFlags.has('--allow-net') ? ['--allow-net'] : []),
    ...readable.map((path) => `--allow-fs-read=${path}`),
    ...writable.map((path) => `--allow-fs-write=${path}`),
  ]
}

/** Modules that Node was to load first (debuggers, tracers) lie where an agent may not read; without them it starts. */
export function withoutPreloads(nodeOptions: string): string {
  return nodeOptions
    .replaceAll(/(^|\s)(?:--import|--require|-r|--(?:experimental-)?loader)[=\s]+\S+/g, '')
    .trim()
}

/** A bundle lies in one folder. In a checkout these are the sources, without what may lie next to them. */
function programFolders(program: URL): string[] {
  const at = (path: string): string => fileURLToPath(new URL(path, program))
  if (!program.pathname.endsWith('.ts')) return [at('.')]
  const root = '../../../'
  return ['packages/', 'apps/agent/', 'node_modules/', 'package.json'].map((path) =>
    at(`${root}${path}`),
  )
}
