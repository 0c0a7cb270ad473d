/** `minga takedown`: captures that may not be kept any more are removed for good. */
import { cdxjTimestamp } from '@minga/archive'
import type { TakedownAnswer, TakedownRequest, TakedownView } from '@minga/protocol'
import { Option, type Command } from 'commander'
import { openApi, type Api } from '../api.ts'
import { BadOption } from '../errors.ts'
import { dataOption } from '../options.ts'
import type { Run } from '../run-program.ts'
import { requireArchive } from './archive/folder.ts'
import { Output } from './archive/output.ts'
import { lastInstantOf } from './archive/time.ts'
import { withApi } from './reach-api.ts'

export function takedownCommand(program: Command, run: Run): void {
  program
    .command('takedown')
    .argument('[url...]', 'addresses whose captures are removed')
    .description('remove captures permanently, leaving tombstones; they cannot be restored')
    .addOption(dataOption())
    .addOption(
      new Option(
        '--at <time>',
        'the newest version not after this: 20260131, 2026-01-31T12:00:00Z …',
      ).conflicts(['allVersions', 'prefix', 'list']),
    )
    .addOption(
      new Option('--all-versions', 'every version of these addresses').conflicts([
        'prefix',
        'list',
      ]),
    )
    .addOption(
      new Option('--prefix', 'every version of every address that starts like this').conflicts(
        'list',
      ),
    )
    .option('--reason <text>', 'reason; kept, and shown to any user who requests the capture')
    .option('--block', 'reject the same bytes when they arrive again from the same address')
    .option('--dry-run', 'only show what would be removed')
    .option('--list', 'show what was taken down, newest first')
    .option('--json', 'print one JSON object')
    .addHelpText('after', EXAMPLES)
    .action(run(takedown))
}

const EXAMPLES = `
Examples:
  minga takedown https://example.org/ana --all-versions --reason "Ana asked for it" --dry-run
  minga takedown https://example.org/ana --at 20260131 --reason "Ana asked for it"
  minga takedown https://example.org/private/ --prefix --reason "order 17/2026" --block
  minga takedown --list

The bytes in the WARC files are overwritten in place, and everything that tells of them goes from the
database, the index and the search. What only refers to a removed capture goes with it. A tombstone stays:
address, time, digest, reason, who and when. Files that were exported before cannot be reached.
`

interface TakedownOptions {
  data: string
  at?: string
  allVersions?: boolean
  prefix?: boolean
  reason?: string
  block?: boolean
  dryRun?: boolean
  list?: boolean
  json?: boolean
}

async function takedown(urls: string[], options: TakedownOptions): Promise<number> {
  const request = options.list ? null : requestOf(urls, options)
  return withApi(openApi(requireArchive(options.data)), async (api) => {
    if (request === null) await showList(api, options)
    else show(await api.post<TakedownAnswer>('/takedowns', request), options)
  })
}

function requestOf(urls: string[], options: TakedownOptions): TakedownRequest {
  const { reason, block = false, dryRun = false } = options
  if (urls.length === 0) throw new BadOption('takedown', 'addresses, or --list', 'nothing')
  if (reason === undefined && !dryRun) {
    throw new BadOption('--reason', 'why they are taken down, in words', 'nothing')
  }
  const at = options.at === undefined ? null : lastInstantOf(options.at)
  return { urls, versions: versionsOf(options), at, reason: reason ?? 'none yet', block, dryRun }
}

function versionsOf({ at, allVersions, prefix }: TakedownOptions): 'one' | 'at' | 'all' | 'prefix' {
  if (at !== undefined) return 'at'
  if (prefix) return 'prefix'
  return allVersions ? 'all' : 'one'
}

function show({ captures, dryRun }: TakedownAnswer, { json }: TakedownOptions): void {
  if (json) {
    process.stdout.write(`${JSON.stringify({ dryRun, captures: captures.map(timed) })}\n`)
  } else {
    for (const { capturedAt, url } of captures) {
      process.stdout.write(`${cdxjTimestamp(capturedAt)}  ${url}\n`)
    }
  }
  const done = dryRun ? 'would be taken down' : 'taken down'
  process.stderr.write(`minga: ${captures.length} captures ${done}\n`)
}

const timed = ({ url, capturedAt, kind, digest, file }: TakedownAnswer['captures'][number]) => {
  return { url, timestamp: cdxjTimestamp(capturedAt), kind, digest, file }
}

const PAGE_ROWS = 1_000

async function* takedownsOf(api: Api): AsyncGenerator<TakedownView> {
  for (let before = Number.MAX_SAFE_INTEGER; ;) {
    const rows = await api.get<TakedownView[]>(`/takedowns?before=${before}&limit=${PAGE_ROWS}`)
    yield* rows
    if (rows.length < PAGE_ROWS) return
    before = rows.at(-1)!.id
  }
}

async function showList(api: Api, { json }: TakedownOptions): Promise<void> {
  const output = new Output()
  let shown = 0
  if (json) await output.write('{"takedowns":[')
  for await (const view of takedownsOf(api)) {
    const line = json
      ? `${shown === 0 ? '' : ','}${JSON.stringify(listed(view))}`
      : `${cdxjTimestamp(view.capturedAt)}  ${view.url}  ${view.reason} (${view.by}, ${new Date(view.askedAt).toISOString()}${view.state === 'done' ? '' : ', not finished'})\n`
    shown++
    if (!(await output.write(line))) break
  }
  if (json) await output.write(']}\n')
  await output.end()
  if (shown === 0 && !json) process.stderr.write('minga: nothing was taken down\n')
}

function listed(view: TakedownView) {
  const { url, capturedAt, kind, digest, file, reason, by, isBlocked, state, askedAt, doneAt } =
    view
  const at = (instant: number): string => new Date(instant).toISOString()
  return {
    ...timed({ url, capturedAt, kind, digest, file }),
    reason,
    by,
    isBlocked,
    state,
    askedAt: at(askedAt),
    doneAt: doneAt === null ? null : at(doneAt),
  }
}
