/** `minga watch`: what is watched, how, and what was found. */
import {
  SCOPES,
  WATCH_SUBJECTS,
  type NoiseRegionView,
  type NoticeView,
  type SignalView,
  type WatchCategoryView,
  type WebsubView,
} from '@minga/protocol'
import { Option, type Command } from 'commander'
import {
  addOwnStationOptions,
  append,
  dataOption,
  insecureOption,
  minDelayOption,
  politenessOption,
  privateOption,
  stationOption,
  wholeNumber,
} from '../../options.ts'
import type { Run } from '../../run-program.ts'
import { BadOption } from '../../errors.ts'
import { add, type AddOptions } from './add.ts'
import { alertCommands } from './alerts.ts'
import {
  forecast,
  list,
  metrics,
  show,
  type ForecastOptions,
  type ListOptions,
  type MetricsOptions,
} from './list.ts'
import { FORMATS, exportWatches, importWatches, type FileOptions } from './files.ts'
import { harvest, versions, type HarvestOptions } from './harvest.ts'
import { runWatches, type RunOptions } from './run.ts'
import { remove, set, turn, type SetOptions } from './set.ts'
import { addSettingOptions } from './settings.ts'
import { throughApi, type WatchOptions } from './station.ts'
import { print, printJson, say, tableText, timeText } from './text.ts'

const EXAMPLES = `
Examples:
  minga watch add https://example.org/news                     one page, Minga decides when
  minga watch add https://example.org/ --site --category 306   a whole site, harvested when it changes
  minga watch add --file urls.txt --name "Ministries" --period 1d
  minga watch list --search ministry --state active
  minga watch forecast                                         next visits, each with its reason
  minga watch set 4 --period 6h                                set manually; auto returns it to Minga
  minga watch undo 4
  minga watch metrics 4 --days 90
  minga watch run --once --json                                visit everything now
  minga watch export --as opml > watches.opml
  minga watch import feeds.opml

Without --station the station that serves the folder is asked, or the folder is opened.
`

export function watchCommand(program: Command, run: Run): void {
  const watch = program
    .command('watch')
    .description('watch pages and sites: see what changed, visit again at the right time')
    .addHelpText('after', EXAMPLES)
  const below =
    (parent: Command) =>
    (name: string, description: string): Command =>
      parent
        .command(name)
        .description(description)
        .addOption(dataOption())
        .addOption(stationOption('which station'))
        .addOption(insecureOption())
        .addOption(new Option('--key <key>', 'an API key of yours').env('MINGA_KEY'))
        .option('--json', 'print one JSON object')
  const command = below(watch)
  addCommand(command('add', 'watch a page, a site or a list of pages'), run)
  readCommands(command, run)
  changeCommands(command, run)
  fileCommands(command, run)
  signalCommands(command, run)
  runCommand(watch.command('run'), run)
  const alerts = watch.command('alerts').description('manage alerts about changes')
  alertCommands(below(alerts), run)
}

type NewCommand = (name: string, description: string) => Command

function addCommand(command: Command, run: Run): void {
  command
    .argument('[url...]', 'what to watch; several are a list')
    .option('--file <file>', 'one address per line, - for standard input')
    .option('--site', 'watch the whole site, and harvest it when it changes')
    .addOption(
      new Option('--scope <scope>', 'of a site: how far a harvest goes')
        .choices(SCOPES)
        .default('host'),
    )
    .option('--include <regex>', 'of a site: only addresses that match (repeatable)', append)
    .option('--exclude <regex>', 'of a site: no addresses that match (repeatable)', append)
    .option('--max-pages <n>', 'of a harvest', wholeNumber('--max-pages', 1))
    .option('--max-bytes <n>', 'of a harvest', wholeNumber('--max-bytes', 1))
    .option('--max-time <s>', 'of a harvest', wholeNumber('--max-time', 1))
    .option('--delay <ms>', 'pause between requests to a host', wholeNumber('--delay'))
    .addOption(politenessOption())
    .addOption(minDelayOption())
    .option('--feed <url>', 'an RSS or Atom feed that tells of changes (repeatable)', append)
    .option('--sitemap <url>', 'a sitemap that reports changes (repeatable)', append)
    .option('--inactive', 'store it, but do not visit it yet')
    .addOption(privateOption())
  addSettingOptions(command)
    .addHelpText('after', EXAMPLES)
    .action(run((urls: string[], options: AddOptions) => add(urls, options)))
}

function readCommands(command: NewCommand, run: Run): void {
  command('list', 'what is watched')
    .option('--search <text>', 'part of a name or of an address')
    .option('--category <code>', 'a code, or none')
    .addOption(new Option('--state <state>').choices(['active', 'inactive', 'running']))
    .addOption(new Option('--subject <what>').choices(WATCH_SUBJECTS))
    .option('--owner <account>', 'whose')
    .addOption(
      new Option('--by <what>', 'count groups instead').choices([
        'category',
        'owner',
        'subject',
        'behaviour',
      ]),
    )
    .option('--limit <n>', 'how many at most', wholeNumber('--limit', 1), 1_000)
    .addHelpText('after', EXAMPLES)
    .action(run((options: ListOptions) => list(options)))
  command('forecast', 'the next visits, and the reason of their time')
    .argument('[id]', 'of this watch only', watchId)
    .option('--limit <n>', 'how many at most', wholeNumber('--limit', 1), 50)
    .action(run((id: string | undefined, options: ForecastOptions) => forecast(id, options)))
  command('show', 'one watch, and its manual changes')
    .argument('<id>', 'its number', watchId)
    .action(run((id: string, options: WatchOptions) => show(id, options)))
  command('metrics', 'visits, changes and rates of one watch')
    .argument('<id>', 'its number', watchId)
    .option('--days <n>', 'how far back', wholeNumber('--days', 1), 60)
    .action(run((id: string, options: MetricsOptions) => metrics(id, options)))
  command('noise', 'the regions of its pages that are ignored as noise')
    .argument('<id>', 'its number', watchId)
    .option('--restore <region>', 'this region is not noise', wholeNumber('--restore'))
    .option('--url <url>', 'of this page, where several have a region of that number')
    .addOption(new Option('--forget', 'forget all of them').conflicts(['restore']))
    .addHelpText('after', NOISE_EXAMPLES)
    .action(run((id: string, options: NoiseOptions) => noise(id, options)))
  command('versions', 'harvests of a watched site: when, how much, and why')
    .argument('<id>', 'its number', watchId)
    .action(run((id: string, options: WatchOptions) => versions(id, options)))
  command('categories', 'topics of watches and their codes')
    .option('--add <code=name>', 'a new one, as in 315=gardening')
    .option('--rename <code=name>', 'another name for a code')
    .option('--remove <code>', 'one that no watch has', wholeNumber('--remove'))
    .action(run((options: CategoryOptions) => categories(options)))
}

function changeCommands(command: NewCommand, run: Run): void {
  addSettingOptions(command('set', 'change a watch manually'))
    .argument('<id>', 'its number', watchId)
    .option('--add-url <url>', 'also watch this (repeatable)', append)
    .option('--remove-url <url>', 'no longer watch this (repeatable)', append)
    .option('--add-feed <url>', 'a feed that reports changes (repeatable)', append)
    .option('--add-sitemap <url>', 'a sitemap that reports changes (repeatable)', append)
    .addHelpText('after', EXAMPLES)
    .action(run((id: string, options: SetOptions) => set(id, options)))
  for (const [verb, description] of VERBS) {
    command(verb, description)
      .argument('<id>', 'its number', watchId)
      .action(run((id: string, options: WatchOptions) => turn(id, verb, options)))
  }
  command('harvest', 'harvest a watched site now, or control a running harvest')
    .argument('<id>', 'its number', watchId)
    .addOption(new Option('--pause', 'stop it for a while').conflicts(['resume', 'cancel']))
    .addOption(new Option('--resume', 'let it continue').conflicts(['pause', 'cancel']))
    .addOption(new Option('--cancel', 'end it as it is').conflicts(['pause', 'resume']))
    .action(run((id: string, options: HarvestOptions) => harvest(id, options)))
  command('remove', 'stop watching and forget the watch; its captures stay')
    .argument('<id>', 'its number', watchId)
    .option('--with-captures', 'also remove its captures from the index')
    .action(
      run((id: string, options: WatchOptions & { withCaptures?: boolean }) => remove(id, options)),
    )
}

function fileCommands(command: NewCommand, run: Run): void {
  const format = (): Option => new Option('--as <format>', 'of the file').choices(FORMATS)
  command('import', 'watch what a file lists: OPML (also of feed readers), CSV or JSON')
    .argument('<file>', 'its extension gives the format; - for standard input, with --as')
    .addOption(format())
    .addOption(privateOption())
    .addHelpText('after', EXAMPLES)
    .action(run((file: string, options: FileOptions) => importWatches(file, options)))
  command('export', 'print all watches as a file')
    .addOption(format())
    .option('--search <text>', 'part of a name or of an address')
    .option('--category <code>', 'a code, or none')
    .option('--owner <account>', 'whose')
    .addHelpText('after', EXAMPLES)
    .action(run((options: FileOptions) => exportWatches(options)))
}

function signalCommands(command: NewCommand, run: Run): void {
  command('hook', 'make the secret by which a site itself tells of changes')
    .argument('<id>', 'its number', watchId)
    .option('--drop', 'remove the secret instead')
    .addHelpText('after', HOOK_EXAMPLES)
    .action(run((id: string, options: HookOptions) => hook(id, options)))
  command('notices', 'change notifications for a watch, and how many were correct')
    .argument('<id>', 'its number', watchId)
    .option('--limit <n>', 'how many at most', wholeNumber('--limit', 1), 20)
    .action(run((id: string, options: WatchOptions & { limit: number }) => notices(id, options)))
}

const NOISE_EXAMPLES = `
Examples:
  minga watch noise 4                   what is ignored, with a preview of each region
  minga watch noise 4 --restore 21873   that region counts from now on
  minga watch noise 4 --forget          learn the noise of its pages again
`

const HOOK_EXAMPLES = `
Examples:
  SECRET=$(minga watch hook 4)
  curl -X POST -H "Authorization: Bearer $SECRET" https://station.example/api/watches/4/notify
  curl -X POST -H "Authorization: Bearer $SECRET" -H "Content-Type: application/json" \\
    -d '{"urls":["https://example.org/news"]}' https://station.example/api/watches/4/notify
`

const VERBS = [
  ['undo', 'undo the newest manual change'],
  ['pause', 'do not visit it until it is resumed'],
  ['resume', 'visit it again'],
] as const

function runCommand(command: Command, run: Run): void {
  command
    .argument('[id...]', 'only these watches', watchIds)
    .description('visit what is due, until Ctrl-C')
    .option('--once', 'visit everything now, then end; exit code 1 when every visit failed')
    .option('--budget <n>', 'visits per day over all watches', budgetIn)
    .addOption(dataOption())
  addOwnStationOptions(command)
    .option('--json', 'print {"visited","changed","unchanged","noise","failed"}')
    .addHelpText('after', EXAMPLES)
    .action(run((ids: string[], options: RunOptions) => runWatches(ids, options)))
}

/** As it was typed: a mistake is reported before any request. */
function watchId(text: string): string {
  return String(wholeNumber('the number of a watch', 1)(text))
}

function watchIds(text: string, before: readonly string[] = []): string[] {
  return [...before, watchId(text)]
}

/** `200` or `200/day`. */
function budgetIn(text: string): number {
  return wholeNumber('--budget', 1)(text.replace(/\/day$/, ''))
}

interface CategoryOptions extends WatchOptions {
  add?: string
  rename?: string
  remove?: number
}

/** `minga watch categories`: the station's list of topics. */
function categories(options: CategoryOptions): Promise<number> {
  return throughApi(options, async (api) => {
    const at = '/watches/categories'
    if (options.add !== undefined) await api.post(at, entryIn('--add', options.add))
    if (options.rename !== undefined) {
      const { code, name } = entryIn('--rename', options.rename)
      await api.patch(`${at}/${code}`, { name })
    }
    if (options.remove !== undefined) await api.remove(`${at}/${options.remove}`)
    const known = await api.get<WatchCategoryView[]>(at)
    if (options.json) return printJson({ categories: known })
    const rows = known.map(({ code, name, watches }) => [String(code), String(watches), name])
    print(tableText([['CODE', 'WATCHES', 'NAME'], ...rows]))
  })
}

function entryIn(option: string, text: string): { code: number; name: string } {
  const found = /^(\d{1,6})=(.+)$/.exec(text)
  if (found === null) throw new BadOption(option, 'CODE=NAME, as in 315=gardening', text)
  return { code: Number(found[1]), name: found[2]! }
}

interface NoiseOptions extends WatchOptions {
  restore?: number
  url?: string
  forget?: boolean
}

/** `minga watch noise`: the regions of watched pages that are ignored, and how to restore them. */
function noise(id: string, options: NoiseOptions): Promise<number> {
  return throughApi(options, async (api) => {
    const path = `/watches/${Number(id)}/noise`
    const before = await api.get<NoiseRegionView[]>(path)
    const regions =
      options.restore !== undefined
        ? await api.post<NoiseRegionView[]>(`${path}/restore`, regionIn(before, options))
        : options.forget
          ? await api.post<NoiseRegionView[]>(`${path}/forget`, {})
          : before
    if (options.json) return printJson({ regions })
    const ignored = regions.filter(({ state }) => state === 'ignored').length
    say(`${ignored} ${ignored === 1 ? 'region' : 'regions'} ignored as noise`)
    if (regions.length > 0) print(tableText([NOISE_HEAD, ...regions.map(lineOf)]))
  })
}

const NOISE_HEAD = ['REGION', 'STATE', 'WORDS', 'DIFFERED', 'SINCE', 'ADDRESS', 'PREVIEW']

function lineOf(region: NoiseRegionView): string[] {
  const { visits, differed, ignoredSince } = region
  return [
    String(region.region),
    region.isWarned ? 'ignored, may hide changes' : region.state,
    `${Math.round(100 * region.share)} %`,
    `${differed} of ${visits}`,
    ignoredSince === null ? '-' : timeText(ignoredSince),
    region.url,
    region.preview.replaceAll(/\s+/g, ' ') || '-',
  ]
}

/** The number of a region is that of its page; where two pages have the same, the page must be named. */
function regionIn(
  regions: readonly NoiseRegionView[],
  { restore, url }: NoiseOptions,
): { url: string; region: number } {
  const found = regions.filter((one) => one.region === restore && (url ?? one.url) === one.url)
  const [first, second] = found
  if (second !== undefined) {
    throw new BadOption('--url', `the page whose region ${restore} is meant`, 'nothing')
  }
  return { url: first?.url ?? url ?? regions[0]?.url ?? '-', region: restore! }
}

interface HookOptions extends WatchOptions {
  drop?: boolean
}

/** The secret is data: it goes to stdout, alone, and is shown this once. */
function hook(id: string, options: HookOptions): Promise<number> {
  return throughApi(options, async (api) => {
    const path = `/watches/${Number(id)}/hook`
    if (options.drop) {
      await api.remove(path)
      return say(`the hook of watch ${id} is closed`)
    }
    const { secret } = await api.post<{ secret: string }>(path, {})
    if (options.json) return printJson({ secret })
    print(secret)
    say(`this secret is shown once; the former one of watch ${id} is no longer valid`)
  })
}

interface NoticesAnswer {
  signals: SignalView[]
  notices: NoticeView[]
}

function notices(id: string, options: WatchOptions & { limit: number }): Promise<number> {
  return throughApi(options, async (api) => {
    const at = `/watches/${Number(id)}`
    const answer = await api.get<NoticesAnswer>(`${at}/notices?limit=${options.limit}`)
    const hubs = await api.get<WebsubView[]>(`${at}/hubs`)
    if (options.json) return printJson({ ...answer, hubs })
    const sources = answer.signals.map((signal) => [
      signal.source,
      String(signal.notices),
      String(signal.changed),
      signal.precision === null ? '-' : signal.precision.toFixed(2),
    ])
    print(tableText([['SOURCE', 'NOTICES', 'TRUE', 'PRECISION'], ...sources]))
    const lines = answer.notices.map((notice) => [
      timeText(notice.at),
      notice.source,
      notice.isEarly ? 'due at once' : 'noted',
      notice.outcome ?? 'open',
      notice.url,
    ])
    if (lines.length > 0) print(tableText(lines))
    for (const { hub, topic, state, problem } of hubs) {
      print(`hub ${hub} for ${topic}: ${state}${problem === null ? '' : ` (${problem})`}`)
    }
  })
}
