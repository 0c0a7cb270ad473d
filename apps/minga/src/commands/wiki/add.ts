/** `minga wiki add`: every revision of some pages, or of a whole wiki; the same command again continues. */
import type { WikiRequest, WikiTaskView } from '@minga/protocol'
import { isMingaError } from '@minga/protocol'
import { resolve } from 'node:path'
import { requireAllowed, typedAddresses } from '../../addresses.ts'
import { findStation, openApi, type Api } from '../../api.ts'
import { BadOption } from '../../errors.ts'
import { EXIT } from '../../exit-codes.ts'
import { warnAboutPrivateAddresses, type OwnStationOptions } from '../../options.ts'
import { reachStation, throughStation } from '../../reach-station.ts'
import { readUrls } from '../request/list.ts'
import { readText } from './files.ts'
import { wikiPath } from './folder.ts'
import { followTasks, reportTasks } from './follow.ts'
import { titlesIn } from './text.ts'

export interface AddOptions extends OwnStationOptions {
  pages?: string
  titlesFile?: string
  category?: string[]
  depth: number
  namespace?: number[]
  all?: boolean
  locale?: string
  delay: number
  inFlight: number
  tokenFile?: string
  bot?: string
  botPasswordFile?: string
  keepWarc?: boolean
  obeyRobots?: boolean
  wait?: boolean
  json?: boolean
}

export async function add(address: string, options: AddOptions): Promise<number> {
  // A title is no address, and means the wiki of the station's choice.
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(address)) {
    await requireAllowed(typedAddresses('wiki add', [address]), options)
  }
  warnAboutPrivateAddresses(options.allowPrivateAddresses)
  const request = await requestOf(address, options)
  const secrets = await secretsOf(address, options)
  const begin = async (api: Api): Promise<WikiTaskView[]> => {
    for (const { kind, body } of secrets) await api.put(wikiPath(address, `/${kind}`), body)
    return [await explained(() => api.post<WikiTaskView>('/wikis', request))]
  }
  return options.wait ? addAndWait(begin, options) : addOnly(begin, options)
}

async function requestOf(address: string, options: AddOptions): Promise<WikiRequest> {
  const { pages, titlesFile, category = [], depth, namespace = [], locale } = options
  const listed = titlesFile === undefined ? [] : await readUrls(titlesFile, '--titles-file')
  return {
    address,
    pages: [...titlesIn(pages ?? ''), ...listed],
    categories: category.map((title) => ({ title, depth })),
    namespaces: namespace,
    all: options.all ?? false,
    locale: locale ?? null,
    delayMs: options.delay,
    inFlight: options.inFlight,
    keepWarc: options.keepWarc ?? false,
    robots: options.obeyRobots ? 'obey' : 'etiquette',
  }
}

interface Secret {
  kind: 'token' | 'bot-password'
  body: object
}

/** What lets the station in, from files: what stands in a command can be read by everybody on the machine. */
async function secretsOf(address: string, options: AddOptions): Promise<Secret[]> {
  const { tokenFile, bot, botPasswordFile } = options
  const secrets: Secret[] = []
  if (tokenFile !== undefined) {
    const token = await secretIn('--token-file', tokenFile, address)
    secrets.push({ kind: 'token', body: { token } })
  }
  if (bot === undefined && botPasswordFile === undefined) return secrets
  if (bot === undefined || !/^[^@]+@[^@]+$/.test(bot)) {
    throw new BadOption('--bot', 'a name as in User@bot', bot ?? '')
  }
  if (botPasswordFile === undefined) {
    throw new BadOption('--bot', 'its password with it, by --bot-password-file', bot)
  }
  const password = await secretIn('--bot-password-file', botPasswordFile, address)
  return [...secrets, { kind: 'bot-password', body: { logIn: { user: bot, password } } }]
}

async function secretIn(option: string, file: string, address: string): Promise<string> {
  const value = (await readText(file)).trim()
  if (value === '') throw new BadOption(option, 'a file with something in it', file)
  if (address.endsWith('/api.php')) return value
  throw new BadOption(option, 'the address of an api.php before it', address)
}

/** Which options choose pages, for a user who named only the wiki. */
async function explained<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    if (isMingaError(error) && error.code === 'MINGA_WIKI_NOTHING_CHOSEN') {
      process.stderr.write(CHOICES)
    }
    throw error
  }
}

const CHOICES = `minga: choose what to take from the wiki:
  --pages "Title|Another title"    these pages
  --titles-file FILE               pages by title, one per line
  --category NAME [--depth N]      the pages of a category, and of those below it
  --namespace N                    all pages of a namespace (0: articles)
  --all                            everything
`

export type Begin = (api: Api) => Promise<WikiTaskView[]>

/** Through the station that serves the folder, or through our own for the time of the command. */
export function addAndWait(
  begin: Begin,
  options: OwnStationOptions & { json?: boolean },
): Promise<number> {
  return throughStation(
    () => reachStation(options),
    (station) => followTasks(station, begin, options),
  )
}

/** Noted, and done by the station: now if one runs, otherwise when one is started. */
export async function addOnly(
  begin: Begin,
  options: OwnStationOptions & { json?: boolean },
): Promise<number> {
  const data = resolve(options.data)
  const station = await findStation(data)
  const api = station ?? (await openApi(data, options.allowPrivateAddresses ?? false))
  try {
    const tasks = await begin(api)
    reportTasks(tasks, { json: options.json ?? false, seconds: null })
    if (station === null) {
      process.stderr.write(
        `minga: no station serves ${options.data} now; \`minga up --data ${options.data}\` does the work, or the same command with --wait\n`,
      )
    }
    return EXIT.ok
  } finally {
    await api.close()
  }
}
