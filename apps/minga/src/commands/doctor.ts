/**
 * `minga doctor`: checks of the machine and of a folder, each with a verdict and how to fix it. Nothing is opened for
 * writing and no check depends on another, so that a damaged or busy folder is judged as well.
 */
import { verifyRecords } from '@minga/archive'
import {
  diskRoomAt,
  openReadOnly,
  SCHEMA_VERSION,
  type CaptureRow,
  type ReadOnlyArchive,
} from '@minga/coordinator'
import { isMingaError, systemClock, type AttentionList } from '@minga/protocol'
import type { Command } from 'commander'
import { existsSync, statSync } from 'node:fs'
import { access, constants } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import { findStation, type Api } from '../api.ts'
import { EXIT } from '../exit-codes.ts'
import { dataOption } from '../options.ts'
import { PAGE_FOLDER, playerFolder } from '../page-folders.ts'
import { listedProcesses } from '../processes.ts'
import type { Run } from '../run-program.ts'
import { versionLine } from '../version.ts'
import { readBytes } from './archive/folder.ts'
import * as checks from './doctor-checks.ts'
import { ok, problem, warning, type CheckResult } from './doctor-checks.ts'
import { print, printJson } from './watch/text.ts'

const EXAMPLES = `
Examples:
  minga doctor
  minga doctor --data /srv/minga --json | jq '.checks[] | select(.verdict != "ok")'

Reads only, also while a station runs. Ends with 1 when there is a problem, else with 0.
\`minga archive verify\` checks every record of the archive, this command the newest alone.
`

/** Where `minga up` listens unless it is given another port. */
const PORT = 7700

export function doctorCommand(program: Command, run: Run): void {
  program
    .command('doctor')
    .description('check the machine and a folder: what is wrong and how to fix it')
    .addOption(dataOption())
    .option('--json', 'print one JSON object')
    .addHelpText('after', EXAMPLES)
    .action(run((options: { data: string; json?: boolean }) => examine(options)))
}

async function examine({ data, json }: { data: string; json?: boolean }): Promise<number> {
  const api = await findStation(data)
  const found = await examineAll(resolve(data), api)
  const hasProblem = found.some(({ verdict }) => verdict === 'problem')
  if (json) printJson({ isWell: !hasProblem, checks: found })
  else print(checks.verdictText(found))
  return hasProblem ? EXIT.error : EXIT.ok
}

type Judged = Omit<CheckResult, 'name'>

async function examineAll(data: string, api: Api | null): Promise<CheckResult[]> {
  const newest = await newestIn(data, api)
  const all: [name: string, judge: () => Judged | Promise<Judged>][] = [
    ['node', () => checks.nodeCheck(process.versions.node)],
    ['minga', () => ok(`version ${versionLine()}`)],
    ['duckdb', duckdbCheck],
    ['page', pageCheck],
    ['replay', replayCheck],
    [
      'clock',
      () => checks.clockCheck({ now: systemClock.now(), newestAt: newest?.capturedAt ?? null }),
    ],
    ['folder', () => folderCheck(data)],
    ['room', async () => checks.roomCheck(await diskRoomAt(nearestFolder(data)))],
    ['store', () => storeCheck(data, api)],
    ['archive', () => archiveCheck(data, newest)],
    ['processes', () => processesCheck(data, api)],
    ['port', () => portCheck(api)],
    ['secrets', () => secretsCheck(data)],
    ['contact', () => contactCheck(api)],
  ]
  const results: CheckResult[] = []
  for (const [name, judge] of all) results.push({ name, ...(await judged(judge)) })
  return results
}

/** A check that fails itself is a problem, and the others are still made. */
async function judged(judge: () => Judged | Promise<Judged>): Promise<Judged> {
  try {
    return await judge()
  } catch (error) {
    return problem(messageOf(error), 'See docs/reference/errors.md for the code, if it names one.')
  }
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)

async function duckdbCheck(): Promise<Judged> {
  try {
    const { duckdbVersion } = await import('@minga/lake')
    return ok(`DuckDB ${await duckdbVersion()}`)
  } catch (error) {
    const finding = `DuckDB cannot be loaded: ${messageOf(error)}`
    return problem(finding, 'Install Minga again on this machine; queries and tables need it.')
  }
}

function pageCheck(): Judged {
  if (existsSync(join(PAGE_FOLDER, 'index.html'))) return ok('the files of the page are there')
  return warning(
    'the files of the page are missing',
    'Install Minga again, or run: npm run build:page',
  )
}

function replayCheck(): Judged {
  if (playerFolder() !== null) return ok('the player of archived pages is there')
  return warning(
    'the player of archived pages is missing',
    'Install Minga again with all its packages.',
  )
}

async function folderCheck(data: string): Promise<Judged> {
  const folder = nearestFolder(data)
  try {
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch {
    const remedy = 'Give this user the right to write there, or choose another folder with --data.'
    return problem(`${folder} cannot be written`, remedy)
  }
  return ok(folder === data ? data : `${data} is not there yet and can be made`)
}

/** The folder itself, or the one in which it would be made. */
function nearestFolder(folder: string): string {
  return existsSync(folder) ? folder : nearestFolder(dirname(folder))
}

async function withArchive<R>(
  data: string,
  work: (archive: ReadOnlyArchive) => Promise<R>,
): Promise<R | null> {
  const archive = openReadOnly(data)
  if (archive === null) return null
  try {
    return await work(archive)
  } finally {
    archive.close()
  }
}

async function storeCheck(data: string, api: Api | null): Promise<Judged> {
  if (process.env['MINGA_POSTGRES']) return ok('the state is in PostgreSQL and is not checked here')
  const version = await versionIn(data)
  if (version === 'in-use') return checks.storeInUse(api !== null)
  const isThere = existsSync(join(data, 'minga.db'))
  if (isThere) return checks.storeCheck({ version, known: SCHEMA_VERSION })
  if (!existsSync(join(data, 'archive'))) return ok('nothing collected here yet')
  return problem(
    'there is an archive, but no store (minga.db)',
    'Restore minga.db from a backup, set MINGA_POSTGRES, or import the files of the archive into a new folder.',
  )
}

async function versionIn(data: string): Promise<number | null | 'in-use'> {
  try {
    return await withArchive(data, (archive) => archive.schemaVersion())
  } catch (error) {
    if (isMingaError(error) && error.code === 'MINGA_STORE_LOCKED') return 'in-use'
    throw error
  }
}

/** Null also when the store cannot be read: that is another check's finding. */
async function newestIn(data: string, api: Api | null): Promise<CaptureRow | null> {
  try {
    if (api !== null) {
      return (await api.get<CaptureRow[]>('/captures?newest=true&limit=1'))[0] ?? null
    }
    const read = (archive: ReadOnlyArchive): Promise<CaptureRow[]> =>
      archive.captures({ newestFirst: true, limit: 1 })
    return (await withArchive(data, read))?.[0] ?? null
  } catch {
    return null
  }
}

async function archiveCheck(data: string, newest: CaptureRow | null): Promise<Judged> {
  if (newest === null) return ok('no capture to check')
  const { file, offset, length } = newest
  const remedy = 'Run `minga archive verify` to see how far the damage goes; restore from a backup.'
  const path = join(data, 'archive', file)
  if (!existsSync(path))
    return problem(`the file of the newest capture is missing: ${file}`, remedy)
  const member = readBytes(path, { start: offset, end: offset + length - 1 })
  for await (const { severity, message } of verifyRecords(member)) {
    if (severity === 'error') return problem(`the newest capture in ${file}: ${message}`, remedy)
  }
  return ok(`the newest capture in ${file} can be read`)
}

async function processesCheck(data: string, api: Api | null): Promise<Judged> {
  return checks.processesCheck({ processes: await listedProcesses(data), url: api?.url ?? null })
}

async function portCheck(api: Api | null): Promise<Judged> {
  const ownPort = api === null || api.url === null ? null : Number(new URL(api.url).port)
  return checks.portCheck({ port: PORT, isFree: await isFree(PORT), ownPort })
}

function isFree(port: number): Promise<boolean> {
  const { promise, resolve: answer } = Promise.withResolvers<boolean>()
  const server = createServer()
  server.once('error', () => answer(false))
  server.listen({ port, host: '127.0.0.1', exclusive: true }, () =>
    server.close(() => answer(true)),
  )
  return promise
}

/** Windows has no such modes. */
function secretsCheck(data: string): Judged {
  const stat = statSync(join(data, 'station.json'), { throwIfNoEntry: false })
  return checks.secretsCheck(stat === undefined || process.platform === 'win32' ? null : stat.mode)
}

async function contactCheck(api: Api | null): Promise<Judged> {
  if (api === null) return checks.contactCheck(Boolean(process.env['MINGA_CONTACT']))
  const { items } = await api.get<AttentionList>('/attention')
  return checks.contactCheck(items.every(({ code }) => code !== 'no-contact'))
}
