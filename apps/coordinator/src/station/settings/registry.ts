/**
 * Every setting that operators change while the station runs: its values, its default, what it does
 * and when it takes effect. The API, the command line and docs/reference/settings.md all read this
 * list.
 */
import { FLAG_EFFECTS } from '@minga/fleet/flags'
import { AUDIT_FLOOR, RECHECK_SHARE } from '@minga/fleet/reputation'
import { PLATFORM_SHARE_BPS } from '@minga/fleet/split'
import { PLACEMENT_DEFAULTS, SLOW_FACTOR, STRATEGIES } from '@minga/frontier/placement-settings'
import { PLAN_WEIGHTS } from '@minga/partition/plan-input'
import { ALERT_LANGUAGES, BATCH_URLS_MAX } from '@minga/protocol'
import { FEDERATION_SETTINGS } from './federation-settings.ts'
import { LAKE_SETTINGS } from './lake-settings.ts'
import { RATE_SETTINGS } from './rate-settings.ts'
import { choice, filter, share, whole, wholeOrNone, word, type Setting } from './setting-kinds.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const YEAR_MS = 365 * DAY_MS
const COUNT_MAX = 1_000_000
/** A thousand units of the currency for one request: more is a slip of the finger. */
const PRICE_MAX = 1_000_000_000
const NEXT_BLOCK = 'from the next block on, for every agent'
const NEXT_MAP = 'for the next map'
const NEXT_BATCH = 'for batches that are opened from then on'

export const SETTINGS = {
  strategy: choice(STRATEGIES, {
    default: PLACEMENT_DEFAULTS.strategy,
    about:
      'Which agent a due host is assigned to: equal counts, fewest requests in progress, nearest country, shortest measured time, or by a map of links, distance and load.',
    holds: NEXT_BLOCK,
  }),
  inHandMax: whole({
    default: PLACEMENT_DEFAULTS.inHandMax,
    unit: 'requests',
    min: 1,
    max: COUNT_MAX,
    about: 'Requests that one agent may hold at a time, over all its blocks.',
    holds: NEXT_BLOCK,
  }),
  blockMax: whole({
    default: PLACEMENT_DEFAULTS.blockMax,
    unit: 'requests',
    min: 1,
    max: COUNT_MAX,
    about:
      'Requests of one block: larger ones save calls to the station, smaller ones lose less with an agent.',
    holds: NEXT_BLOCK,
  }),
  threadsPerHostMax: whole({
    default: PLACEMENT_DEFAULTS.threadsPerHostMax,
    unit: 'requests',
    min: 1,
    max: 16,
    about:
      'Requests in flight to one host over the whole fleet, where there is no delay between them; collections may ask for fewer.',
    holds: NEXT_BLOCK,
  }),
  hostsPerAddressMax: whole({
    default: PLACEMENT_DEFAULTS.hostsPerAddressMax,
    unit: 'hosts',
    min: 1,
    max: 1_000,
    about:
      'Hosts of one address that are leased at a time, where so many share it (a CDN) that it needs no delay.',
    holds: NEXT_BLOCK,
  }),
  mapExchangeMs: whole({
    // Inside a station a link to another agent's host costs no journey: distance counts for more.
    default: 10,
    unit: 'ms',
    min: 0,
    max: 100_000,
    about:
      'What a link between hosts of two agents costs in a map (strategy `partitioned`), as milliseconds of waiting; more keeps hosts that link to each other together.',
    holds: NEXT_MAP,
  }),
  mapMoveMs: whole({
    default: PLAN_WEIGHTS.migrationMs,
    unit: 'ms',
    min: 0,
    max: 100_000,
    about:
      'What it costs to assign a host to another agent, for each of its pages, as milliseconds of waiting; more moves fewer hosts.',
    holds: NEXT_MAP,
  }),
  mapDrift: share({
    default: 0.25,
    unit: 'share',
    min: 0.01,
    max: 10,
    about:
      'By which share balance, links between agents, waiting per page or the number of hosts may drift from the map before it is replanned.',
    holds: 'from the next second on',
  }),
  mapEveryMs: whole({
    default: DAY_MS,
    unit: 'ms',
    min: MINUTE_MS,
    max: YEAR_MS,
    about: 'The age at which a map is replanned, whatever happens.',
    holds: 'from the next second on',
  }),
  visitShare: share({
    default: PLACEMENT_DEFAULTS.visitShare,
    unit: 'share',
    min: 0,
    max: 1,
    about:
      'The share of blocks that is filled with due visits of watches first; the others are filled with crawls and requests first.',
    holds: NEXT_BLOCK,
  }),
  delayMs: whole({
    default: 1_000,
    unit: 'ms',
    min: 0,
    max: HOUR_MS,
    about:
      'Delay between two requests of clients to one host, if the host requires no more; collections have their own.',
    holds: 'from the next block on, also for what is queued already',
  }),
  visitsPerDay: wholeOrNone({
    // The right number depends on a station's sites and volunteers; a visit a day suits most pages.
    default: null,
    unit: 'visits',
    min: 1,
    max: 1_000_000_000,
    about:
      'Visits of watched URLs per day, over all watches, that forecasts may plan; without a number, as many as there are watched URLs.',
    holds: 'from the next plan on, within ten minutes',
  }),
  visitBytesPerDay: wholeOrNone({
    // What a line costs is known to who pays for it.
    default: null,
    unit: 'bytes',
    min: 1_000,
    max: 1_000_000_000_000_000,
    about:
      'Bytes per day that visits of watched URLs may download, over all watches; harvests of sites have separate limits.',
    holds: 'from the next second on',
  }),
  stragglerFactor: share({
    // Lower values mistake far agents for slow ones.
    default: SLOW_FACTOR,
    unit: 'times',
    min: 1.5,
    max: 1_000,
    about:
      "Times slower than the fleet's median at which an agent loses its block while others have nothing to do.",
    holds: 'from the next second on',
  }),
  waitingMax: whole({
    // An open question costs about 20 KB; a thousand agents wake up at once when work comes.
    default: 1_000,
    unit: 'agents',
    min: 0,
    max: COUNT_MAX,
    about:
      'Idle agents whose long polls one coordinator keeps open; further agents are asked to return later.',
    holds: 'for the next long poll',
  }),
  requestTimeoutMs: whole({
    // Longer than the largest batch takes on one host with the usual delay: 28 hours.
    default: 7 * DAY_MS,
    unit: 'ms',
    min: 1_000,
    max: YEAR_MS,
    about:
      "The longest that a client's request waits for its answer; then it ends as failed (MINGA_REQUEST_OVERDUE) and costs nothing.",
    holds: 'from the next second on, also for requests that wait already',
  }),
  hangingMaxMs: whole({
    default: 10 * MINUTE_MS,
    unit: 'ms',
    min: 0,
    max: 10 * MINUTE_MS,
    about: 'The longest that one call of POST /api/requests waits; the request continues after it.',
    holds: 'for the next call',
  }),
  cacheMs: whole({
    // Five minutes spare a site what several clients want together.
    default: 5 * MINUTE_MS,
    unit: 'ms',
    min: 0,
    max: YEAR_MS,
    about:
      'How old a capture may be to answer a client who does not say how old; 0 always fetches.',
    holds: NEXT_BATCH,
  }),
  batchMax: whole({
    default: BATCH_URLS_MAX,
    unit: 'requests',
    min: 1,
    max: BATCH_URLS_MAX,
    about: 'Requests of one batch.',
    holds: `${NEXT_BATCH}; one that is being sent may be finished`,
  }),
  openRequestsMax: wholeOrNone({
    default: null,
    unit: 'requests',
    min: 0,
    max: 1_000 * COUNT_MAX,
    about: 'Requests that a client without a separate quota may have open at a time.',
    holds: NEXT_BATCH,
  }),
  dayRequestsMax: wholeOrNone({
    default: null,
    unit: 'requests',
    min: 0,
    max: 1_000 * COUNT_MAX,
    about: 'Requests that a client without a separate quota may send in a day (UTC).',
    holds: NEXT_BATCH,
  }),
  requestMicros: whole({
    // A tenth of a cent.
    default: 1_000,
    unit: 'micro-units',
    min: 0,
    max: PRICE_MAX,
    about: 'What a client pays for a captured request.',
    holds: `${NEXT_BATCH}; others are paid as agreed`,
  }),
  cacheMicros: whole({
    default: 200,
    unit: 'micro-units',
    min: 0,
    max: PRICE_MAX,
    about:
      "What a client pays for an answer from the archive, or for sharing another client's fetch.",
    holds: `${NEXT_BATCH}; others are paid as agreed`,
  }),
  platformShareBps: whole({
    default: PLATFORM_SHARE_BPS,
    unit: 'basis points',
    min: 0,
    max: 10_000,
    about: "The platform's share of what a captured request costs; the rest is the device owner's.",
    holds: `${NEXT_BATCH}; others are paid as agreed`,
  }),
  auditFloor: share({
    default: AUDIT_FLOOR,
    unit: 'share',
    // Never zero: who is long proven could lie for ever.
    min: 0.001,
    max: 1,
    about: "The share of a proven device's results that another device fetches again.",
    holds: 'for the next upload',
  }),
  recheckShare: share({
    default: RECHECK_SHARE,
    unit: 'share',
    // Never zero: friends who agree on a forgery are found by nothing else.
    min: 0.001,
    max: 1,
    about:
      "The share of agreements between two volunteers' devices that one of the station's own checks.",
    holds: 'for the next upload',
  }),
  complaintDepositTimes: share({
    // Never below the price: who complains without success would be paid by the platform, through a
    // friend's device.
    default: 1,
    unit: 'times',
    min: 1,
    max: 1_000,
    about:
      'The deposit for a complaint, in prices of a request; it is returned unless the result was right.',
    holds: 'for the next complaint',
  }),
  complaintsPerDay: wholeOrNone({
    default: 20,
    unit: 'complaints',
    min: 0,
    max: COUNT_MAX,
    about: 'Complaints of one client that are accepted in a day (UTC).',
    holds: 'for the next complaint',
  }),
  devicesPerOwnerMax: whole({
    // As many machines as a generous person has.
    default: 20,
    unit: 'devices',
    min: 1,
    max: COUNT_MAX,
    about: 'Devices that one volunteer may have; revoked ones and those of operators do not count.',
    holds: 'for the next device that joins',
  }),
  joinTokensOpenMax: whole({
    default: 10,
    unit: 'tokens',
    min: 1,
    max: COUNT_MAX,
    about: 'Unused join tokens that one volunteer may have; operators may have any number.',
    holds: 'for the next token',
  }),
  detailsKeptMs: whole({
    default: 30 * DAY_MS,
    unit: 'ms',
    min: HOUR_MS,
    max: 10 * YEAR_MS,
    about: 'How long the row of each request that a device made is kept.',
    holds: 'within ten seconds, also for existing rows',
  }),
  addressesKeptMs: whole({
    default: 90 * DAY_MS,
    unit: 'ms',
    min: 0,
    max: 10 * YEAR_MS,
    about:
      'How long the networks from which a device connected are kept after they were last seen.',
    holds: 'within ten seconds, also for existing networks',
  }),
  eventsKeptMs: whole({
    default: 90 * DAY_MS,
    unit: 'ms',
    min: HOUR_MS,
    max: 10 * YEAR_MS,
    about: 'How long entries of the event log are kept.',
    holds: 'within a minute, also for existing entries',
  }),
  eventsMost: whole({
    // About 100 MB; a busy station of a hundred agents writes a few thousand a day.
    default: 200_000,
    unit: 'events',
    min: 1_000,
    max: 10_000_000,
    about: 'The maximum number of entries in the event log; the oldest are deleted first.',
    holds: 'within a minute, also for existing entries',
  }),
  abuseEffect: choice(FLAG_EFFECTS, {
    default: 'notify',
    about:
      'What an alarm about a client does: it is only reported, new batches are held, or fewer requests a day are accepted.',
    holds: 'for flags that become an alarm from then on',
  }),
  abuseCutDayMax: whole({
    default: 1_000,
    unit: 'requests',
    min: 0,
    max: 1_000 * COUNT_MAX,
    about: 'Requests a day (UTC) that are accepted from a client whose quota an alarm reduced.',
    holds: 'for flags that become an alarm from then on',
  }),
  places: choice(['off', 'on'], {
    default: 'off',
    about:
      'Whether name servers are queried for the location of hosts (DNS LOC records), at most one host a second, to estimate their distance from agents.',
    holds: 'from the next second on',
  }),
  webBotAuth: choice(['off', 'on'], {
    default: 'off',
    about:
      'Whether devices sign their requests to sites (RFC 9421) with keys that the station publishes; it needs a public address (--public-url), and volunteers may refuse.',
    holds: 'for each agent when it connects the next time',
  }),
  registration: choice(['open', 'operator'], {
    // A station that only this machine can call starts as open.
    default: 'operator',
    about: 'Who may create accounts: people themselves, or operators only.',
    holds: 'for the next account',
  }),
  oidcRegistration: choice(['off', 'on'], {
    // Not everyone whom a large issuer knows is meant.
    default: 'off',
    about:
      'Whether the first login of an unknown user by the OpenID Connect issuer creates an account (reader, volunteer).',
    holds: 'for the next login',
  }),
  sessionIdleHours: wholeOrNone({
    // A long weekend; the cookie and the row would live for 14 days.
    default: 96,
    unit: 'hours',
    min: 1,
    // As long as a session lasts in any case.
    max: 14 * 24,
    about:
      'How long a session stays open without a request; without a number, until its 14 days are over.',
    holds: 'at once, also for open sessions',
  }),
  messageLanguage: choice(ALERT_LANGUAGES, {
    default: 'en',
    about:
      'The language of alerts on change (e-mail, webhook, feed) for which none was chosen: English, Spanish or Portuguese.',
    holds: 'for alerts that are created from then on',
  }),
  mailsPerHour: whole({
    default: 20,
    unit: 'e-mails',
    min: 1,
    max: 1_000,
    about:
      'Alerts by e-mail that one address receives in an hour, over all alerts and accounts; later ones wait and are sent together.',
    holds: 'for the next e-mail',
  }),
  wikiDefault: word({
    default: null,
    pattern: /^https?:\/\/\S+$/,
    wanted: 'an http or https address, or null for Wikipedia',
    about:
      'The wiki of titles without an address; {locale} in it stands for the language. Without a value, Wikipedia.',
    holds: 'for pages that are added from then on',
  }),
  wikiLocale: word({
    default: null,
    pattern: /^[a-z]{2,8}(-[a-z0-9]{1,8})*$/,
    wanted: 'the code of a language such as es, or null for English',
    about: 'The language of titles without an address, as a code; without a value, English.',
    holds: 'for pages that are added from then on',
  }),
  wikiFeeds: choice(['on', 'off', 'stream'], {
    default: 'on',
    about:
      'Whether wikis are kept fresh by their feeds of changes and daily sweeps; stream also subscribes to Wikimedia’s stream of events, from the station itself.',
    holds: 'from the next minute on',
  }),
  ...RATE_SETTINGS,
  ...FEDERATION_SETTINGS,
  ...LAKE_SETTINGS,
  filter: filter({
    default: null,
    about:
      'What the station collects at all, by domain, address, country, area, type, language and words, whatever collections and clients request.',
    holds: 'at once; unwanted requests that agents hold are taken back first',
  }),
}

export type SettingName = keyof typeof SETTINGS
export type SettingValues = {
  [Name in SettingName]: (typeof SETTINGS)[Name] extends Setting<infer T> ? T : never
}

export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[]

export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(SETTINGS, name)
}

export const SETTING_DEFAULTS = Object.fromEntries(
  SETTING_NAMES.map((name) => [name, SETTINGS[name].default]),
) as SettingValues

/** Sentences, one for each value that is none; empty when all may be taken. */
export function problemsOf(wanted: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(wanted).flatMap(([name, value]) => {
    if (!isSettingName(name)) return [`${name} is not a setting`]
    const { schema, wanted: expected, problemIn }: Setting<unknown> = SETTINGS[name]
    if (schema.safeParse(value).success) return []
    const problem = problemIn?.(value) ?? null
    return [
      `${name} must be ${expected}${problem === null ? '' : `; ${problem.replace(/\.$/, '')}`}`,
    ]
  })
}
