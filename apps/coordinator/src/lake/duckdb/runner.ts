/**
 * The small processes in which the coordinator has DuckDB read files and answer questions, and where they run: as
 * children of the coordinator, or of the DuckDB service, which is another user (socket-runner.ts).
 */
import { fork, type ChildProcess } from 'node:child_process'
import type { EventEmitter } from 'node:events'
import { getCompileCacheDir } from 'node:module'

/** All that there are: a name of another one is refused, so nothing else can be started through a socket. */
export const CHILD_MODULES = {
  binding: new URL('../queries/binding-process.ts', import.meta.url),
  preview: new URL('../tables/preview-process.ts', import.meta.url),
  rows: new URL('../tables/rows-process.ts', import.meta.url),
  sql: new URL('../sql/sql-process.ts', import.meta.url),
} as const

export type ChildName = keyof typeof CHILD_MODULES

export interface WantedChild {
  name: ChildName
  /** Working directory of the process; null: its work folder. */
  folder: string | null
  /** Where it may write, as it is named from its working directory; an empty one if it writes nothing. */
  work: string
  /** Where the file that belongs to its answer arrives when it could not write it there itself. */
  answer?: { path: string; bytesMax: number }
}

/** A process that answers; `events` has `message` with an object, and `exit`. */
export interface AnsweringChild {
  readonly events: EventEmitter
  /** Null while it is not known. */
  readonly pid: number | null
  readonly hasEnded: boolean
  /** Why it never began; null when it did. */
  readonly failure: Error | null
  send: (question: object) => void
  end: () => void
  /** Whether this process waits for its next word before it ends. */
  hold: (isHeld: boolean) => void
}

export interface DuckDbRunner {
  start: (wanted: WantedChild) => Promise<AnsweringChild>
  /** Lets the processes read these files of the lake. */
  share: (files: readonly string[]) => Promise<void>
}

/** As the coordinator's own user, who can read everything anyway. */
export const ownRunner: DuckDbRunner = {
  start: async ({ name, folder, work }) => asAnswering(forkChild(name, folder ?? work, work)),
  share: async () => {},
}

/** Of the environment only what finds Node's own things: no tokens. */
export function forkChild(name: ChildName, folder: string, work: string): ChildProcess {
  const { PATH = '', HOME = folder } = process.env
  const compiled = getCompileCacheDir()
  return fork(CHILD_MODULES[name], [work], {
    cwd: folder,
    env: { PATH, HOME, ...(compiled === undefined ? {} : { NODE_COMPILE_CACHE: compiled }) },
    execArgv: ['--max-old-space-size=512'],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
}

function asAnswering(child: ChildProcess): AnsweringChild {
  return {
    events: child,
    get pid() {
      return child.pid ?? null
    },
    get hasEnded() {
      return child.exitCode !== null || child.signalCode !== null
    },
    failure: null,
    send: (question) => void child.send(question, () => {}),
    end: () => void child.kill('SIGKILL'),
    hold: (isHeld) => {
      const how = isHeld ? 'ref' : 'unref'
      child[how]()
      child.channel?.[how]()
    },
  }
}
