/** What a task of a wiki is to do, as it stands in its row, and which steps it begins with. */
import {
  collectionSpec,
  wikiLimits,
  wikiRequest,
  type CollectionSpec,
  type WikiProgress,
} from '@minga/protocol'
import {
  allNamespaces,
  firstStep,
  readWikiAddress,
  stepsForPages,
  wantedOn,
  type SiteInfo,
  type TaskRow,
  type Ticket,
  type WikiNews,
  type WikiStep,
} from '@minga/wiki'
import { z } from 'zod'

/** By which address the wiki was found, and what of it is wanted. */
export const extractArguments = wikiRequest.extend({
  /** The address, where it was given as one; null for a title of the default wiki. */
  url: z.string().nullable(),
  wanted: z.object({
    title: z.string().nullable(),
    pageId: z.number().nullable(),
    revId: z.number().nullable(),
  }),
  defaultWiki: z.string().nullable().default(null),
  /** Tasks of one host follow one another. */
  host: z.string(),
})
export type ExtractArguments = z.infer<typeof extractArguments>

/** An update asks a known wiki what is new: of all stored pages, or of some. */
export const updateArguments = z.object({
  api: z.string(),
  host: z.string(),
  titles: z.array(z.string()).nullable().default(null),
})

const NO_PROGRESS: WikiProgress = {
  requests: 0,
  revisions: 0,
  pages: 0,
  pagesDone: 0,
  upToDate: 0,
  missing: [],
  warnings: [],
}

export function progressOf({ progress }: Pick<TaskRow, 'progress'>): WikiProgress {
  return { ...NO_PROGRESS, ...(progress as Partial<WikiProgress> | null) }
}

export function ticketOf({ id, run }: { id: number; run: number }): Ticket {
  return { run, task: id, attempt: 0 }
}

/** Every run begins by asking what wiki this is: its namespaces and limits may have changed. */
export function beginningOf(task: TaskRow, ticket: Ticket): WikiStep {
  if (task.kind === 'update') {
    const { api } = updateArguments.parse(task.arguments)
    return { kind: 'siteinfo', api, origin: null, candidate: 0, ticket }
  }
  const { address, locale, defaultWiki } = extractArguments.parse(task.arguments)
  return firstStep(readWikiAddress(address, { locale, defaultWiki }), ticket)
}

/** What an extraction asks for once the wiki is known. */
export function chosenSteps(task: TaskRow, site: SiteInfo, ticket: Ticket): WikiStep[] {
  const { pages, pageIds, categories, namespaces, all, wanted, url } = extractArguments.parse(
    task.arguments,
  )
  const hasChoice = hasSelection({ pages, pageIds, categories, namespaces, all })
  const { title, pageId, revId } = hasChoice
    ? NOTHING
    : url === null
      ? wanted
      : wantedOn(site, { url, wanted })
  return stepsForPages(
    site,
    {
      titles: title === null ? pages : [title],
      pageIds: pageId === null ? pageIds : [pageId],
      revIds: revId === null ? [] : [revId],
      categories,
      namespaces: all ? allNamespaces(site) : namespaces,
      isFollowing: true,
    },
    ticket,
  )
}

/** Where api.php is closed, each page that was chosen by its title is asked for by its export. */
export function stepsAround(
  task: TaskRow,
  { step, news }: { step: WikiStep; news: Pick<WikiNews, 'problem'> },
): WikiStep[] {
  const isClosed = step.kind === 'siteinfo' && news.problem?.code === 'MINGA_WIKI_CLOSED'
  if (!isClosed || task.kind !== 'extract') return []
  const { pages } = extractArguments.parse(task.arguments)
  const index = step.api.replace(/api\.php$/, 'index.php')
  return pages.map((title) => ({ kind: 'export', index, title, ticket: step.ticket }))
}

const NOTHING = { title: null, pageId: null, revId: null }

type Selection = Pick<ExtractArguments, 'pages' | 'pageIds' | 'categories' | 'namespaces' | 'all'>

/** Whether the user chose pages in addition to what the address names. */
export function hasSelection({ pages, pageIds, categories, namespaces, all }: Selection): boolean {
  return all || pages.length + pageIds.length + categories.length + namespaces.length > 0
}

/** Trouble passes: lag of minutes is usual, and each pause is longer than the one before. */
const RETRIES = 12

export function collectionOf(task: TaskRow, seed: string): CollectionSpec {
  const { keepWarc, robots, volunteers } = wikiRequest.parse({
    ...(task.kind === 'extract' ? task.arguments : {}),
  })
  const { delayMs, inFlight, maxRequests, maxBytes, maxTimeS } = wikiLimits.parse(task.limits)
  return collectionSpec.parse({
    kind: 'wiki',
    seeds: [seed],
    scope: 'page',
    delayMs,
    inFlightPerHost: inFlight,
    maxPages: maxRequests,
    maxBytes,
    maxTimeS,
    retries: RETRIES,
    sitemaps: false,
    embeds: false,
    trapBudget: false,
    wiki: { id: task.wikiId, task: task.id, keepWarc, robots, volunteers },
  })
}
