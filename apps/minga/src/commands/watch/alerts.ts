/** `minga watch alerts`: who is notified of changes, how and when. */
import {
  ALERT_CHANGES,
  ALERT_DIGESTS,
  ALERT_LANGUAGES,
  type AlertRequest,
  type AlertView,
  type DeliveryView,
  type NewAlertView,
  type SuppressedAddress,
} from '@minga/protocol'
import { Option, type Command } from 'commander'
import type { Api } from '../../api.ts'
import { BadOption } from '../../errors.ts'
import { EXIT } from '../../exit-codes.ts'
import { privateOption, wholeNumber } from '../../options.ts'
import type { Run } from '../../run-program.ts'
import { throughApi, type WatchOptions } from './station.ts'
import { print, printJson, say, tableText, timeText } from './text.ts'

const EXAMPLES = `
Examples:
  minga watch alerts add 4 --email ana@example.org            important changes of watch 4, at once
  minga watch alerts add --email ana@example.org --digest daily --at 8 --zone America/Lima
  minga watch alerts add 4 --webhook https://example.org/hook --changes all --failures 3 --back
  minga watch alerts add --feed                               an Atom feed of all that you watch
  minga watch alerts add 4 --email ana@example.org --quiet 22:00-07:00 --zone -05:00
  minga watch alerts list
  minga watch alerts test alr_0123456789abcdef0123
`

const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
const DELIVERIES_SHOWN = 20

interface SuppressedOptions extends WatchOptions {
  add?: string
}

interface AddOptions extends WatchOptions {
  webhook?: string
  email?: string
  feed?: boolean
  changes?: (typeof ALERT_CHANGES)[number]
  least?: number
  failures?: number
  back?: boolean
  quiet?: { from: string; to: string }
  zone?: string
  digest?: (typeof ALERT_DIGESTS)[number]
  at?: number
  on?: string
  perHour?: number
  language?: (typeof ALERT_LANGUAGES)[number]
}

export function alertCommands(
  command: (name: string, description: string) => Command,
  run: Run,
): void {
  addOptions(command('add', 'tell of changes by webhook, e-mail or feed'))
    .argument('[id]', 'of this watch only; without it, of all that you watch', wholeNumber('[id]'))
    .addHelpText('after', EXAMPLES)
    .action(run((id: number | undefined, options: AddOptions) => add(id, options)))
  command('list', 'your alerts, and what was sent last')
    .argument('[id]', 'of this watch only', wholeNumber('[id]'))
    .action(run((id: number | undefined, options: WatchOptions) => list(id, options)))
  command('suppressed', 'for operators: addresses that receive no e-mail')
    .option('--add <address>', 'an address that wants none')
    .action(run((options: SuppressedOptions) => suppressed(options)))
  command('remove', 'tell no more')
    .argument('<alert>', 'as in alr_…')
    .action(run((alert: string, options: WatchOptions) => remove(alert, options)))
  command('test', 'send a test message now')
    .argument('<alert>', 'as in alr_…')
    .addOption(privateOption())
    .action(run((alert: string, options: WatchOptions) => test(alert, options)))
}

function addOptions(command: Command): Command {
  return command
    .option('--webhook <url>', 'call this address; the secret that signs our calls is printed once')
    .option('--email <address>', 'send an e-mail')
    .option('--feed', 'create an Atom feed with an address that cannot be guessed')
    .addOption(new Option('--changes <which>', 'important ones').choices(ALERT_CHANGES))
    .option('--least <n>', 'only changes of at least this magnitude, 0 to 1', magnitude)
    .option(
      '--failures <n>',
      'report when so many visits in a row fail',
      wholeNumber('--failures', 1),
    )
    .option('--back', 'report when the page responds again')
    .option('--quiet <from-to>', 'send nothing in these hours, as in 22:00-07:00', hoursIn)
    .option('--zone <zone>', 'of hours and times, as in America/Lima or -05:00 (UTC)')
    .addOption(new Option('--digest <how>', 'at-once').choices(ALERT_DIGESTS))
    .option('--at <hour>', 'of a daily or weekly digest (8)', wholeNumber('--at'))
    .addOption(new Option('--on <day>', 'of a weekly digest (mon)').choices(DAYS))
    .option('--per-hour <n>', 'messages at most; the rest waits (20)', wholeNumber('--per-hour', 1))
    .addOption(
      new Option('--language <language>', "of the messages (the station's)").choices(
        ALERT_LANGUAGES,
      ),
    )
    .addOption(privateOption())
}

function magnitude(text: string): number {
  const number = Number(text)
  if (text.trim() === '' || !(number >= 0 && number <= 1)) {
    throw new BadOption('--least', 'a number from 0 to 1', text)
  }
  return number
}

function hoursIn(text: string): { from: string; to: string } {
  const found = /^(\d\d:\d\d)-(\d\d:\d\d)$/.exec(text)
  if (found === null) throw new BadOption('--quiet', 'two times, as in 22:00-07:00', text)
  return { from: found[1]!, to: found[2]! }
}

function requestOf(watchId: number | undefined, options: AddOptions): AlertRequest {
  const { webhook, email, feed, changes, least, failures, back } = options
  const { quiet, zone, digest, at, on, perHour, language } = options
  const given = [webhook, email, feed ? '' : undefined].filter((one) => one !== undefined)
  if (given.length !== 1) {
    throw new BadOption('alerts add', 'one of --webhook, --email and --feed', `${given.length}`)
  }
  const request = {
    watchId,
    channel: webhook === undefined ? (email === undefined ? 'feed' : 'email') : 'webhook',
    target: given[0]!,
    changes,
    leastMagnitude: least,
    failuresInRow: failures,
    tellsBack: back,
    quiet,
    zone,
    digest,
    digestHour: at,
    digestDay: on === undefined ? undefined : DAYS.indexOf(on) + 1,
    mostPerHour: perHour,
    language,
  } as const
  // What was not said is the station's to choose.
  const said = Object.entries(request).filter(([, value]) => value !== undefined)
  return Object.fromEntries(said) as unknown as AlertRequest
}

function add(id: number | undefined, options: AddOptions): Promise<number> {
  const request = requestOf(id, options)
  return throughApi(options, async (api) => {
    const made = await api.post<NewAlertView>('/alerts', request)
    if (options.json) return printJson(made)
    print(made.id)
    if (made.mailbox === 'unconfirmed') {
      say(`a link was sent to ${made.target}; nothing else is sent until it is opened`)
    }
    if (made.mailbox === 'suppressed') {
      say(`${made.target} wants no alerts; its owner is asked once a month at most`)
    }
    if (made.feedUrl !== null) say(`the feed: ${wholeAddress(made.feedUrl, api)}`)
    if (made.secret !== null) {
      say(`the secret that signs our calls, shown only once: ${made.secret}`)
    }
  })
}

function list(id: number | undefined, options: WatchOptions): Promise<number> {
  return throughApi(options, async (api) => {
    const of = id === undefined ? '' : `&watchId=${id}`
    const alerts = await api.get<AlertView[]>(`/alerts?${of.slice(1)}`)
    const deliveries = await sentOf(api, of)
    if (options.json) return printJson({ alerts, deliveries })
    if (alerts.length === 0) return say('no alerts')
    print(tableText([TITLES, ...alerts.map((alert) => lineOf(alert, api))]))
    if (deliveries.length === 0) return
    print('\nLast messages:\n')
    print(tableText(deliveries.map(deliveryLine)))
  })
}

function suppressed(options: SuppressedOptions): Promise<number> {
  const { add: address } = options
  return throughApi(options, async (api) => {
    const path = '/alerts/suppressed'
    const listed = await (address === undefined
      ? api.get<SuppressedAddress[]>(path)
      : api.post<SuppressedAddress[]>(path, { address }))
    if (options.json) return printJson(listed)
    if (listed.length === 0) return say('no address')
    print(tableText(listed.map((one) => [one.address, timeText(one.suppressedAt)])))
  })
}

function sentOf(api: Api, of: string): Promise<DeliveryView[]> {
  return api.get(`/alerts/deliveries?limit=${DELIVERIES_SHOWN}${of}`)
}

const TITLES = ['ALERT', 'WATCH', 'BY', 'TELLS', 'WHEN', 'WAITING', 'TO']

/** A station without a public address knows only the path; who asked knows where it answers. */
function wholeAddress(feedUrl: string, { url }: Api): string {
  return url === null ? feedUrl : new URL(feedUrl, url).href
}

function lineOf(alert: AlertView, api: Api): string[] {
  const { id, watchId, channel, target, feedUrl, waiting, digest, quiet } = alert
  const hours = quiet === null ? '' : `, not ${quiet.from}-${quiet.to}`
  return [
    id,
    watchId === null ? 'all' : String(watchId),
    channel,
    toldBy(alert),
    alert.isActive ? (waitsFor(alert) ?? `${digest}${hours}`) : offText(alert),
    String(waiting),
    feedUrl === null ? target : wholeAddress(feedUrl, api),
  ]
}

/** Why nothing is sent although it is on; null: it is. */
function waitsFor({ mailbox }: AlertView): string | null {
  if (mailbox === 'unconfirmed') return 'waits for the mailbox to confirm'
  return mailbox === 'suppressed' ? 'the mailbox wants no alerts' : null
}

function offText({ unsubscribedAt }: AlertView): string {
  return unsubscribedAt === null ? 'off' : 'unsubscribed'
}

function toldBy({ changes, leastMagnitude, failuresInRow, tellsBack }: AlertView): string {
  const least = leastMagnitude > 0 ? ` ≥ ${leastMagnitude}` : ''
  return [
    ...(changes === 'none' ? [] : [`${changes}${least}`]),
    ...(failuresInRow === null ? [] : [`${failuresInRow} failures`]),
    ...(tellsBack ? ['back'] : []),
  ].join(', ')
}

function deliveryLine(delivery: DeliveryView): string[] {
  const { createdAt, ruleId, kind, state, tries, alerts, problem } = delivery
  const what = kind === 'test' ? 'test' : `${alerts} reported`
  const why = problem === null ? '' : ` (${problem})`
  return [timeText(createdAt), ruleId, what, `${state}, ${tries} tries${why}`]
}

function remove(alert: string, options: WatchOptions): Promise<number> {
  return throughApi(options, async (api) => {
    await api.remove(`/alerts/${encodeURIComponent(alert)}`)
    if (options.json) printJson({ id: alert })
  })
}

async function test(alert: string, options: WatchOptions): Promise<number> {
  let isTaken = false
  const code = await throughApi(options, async (api) => {
    const sent = await api.post<DeliveryView>(`/alerts/${encodeURIComponent(alert)}/test`, {})
    isTaken = sent.state === 'sent'
    if (options.json) return printJson(sent)
    say(isTaken ? `sent to ${sent.target || 'the feed'}` : `not sent: ${sent.problem}`)
  })
  return isTaken ? code : EXIT.error
}
