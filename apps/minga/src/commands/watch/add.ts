/** `minga watch add`. */
import type { WatchDetail, WatchRequest, WatchSubject } from '@minga/protocol'
import { findRefused, typedAddresses } from '../../addresses.ts'
import { BadOption, remedyOf, Reported } from '../../errors.ts'
import { warnAboutPrivateAddresses } from '../../options.ts'
import { readUrls } from '../request/list.ts'
import { settingsOf, type SettingOptions } from './settings.ts'
import { throughApi, type WatchOptions } from './station.ts'
import { durationText, printJson, say } from './text.ts'

export interface AddOptions extends WatchOptions, SettingOptions {
  file?: string
  site?: boolean
  scope: WatchRequest['scope']
  include?: string[]
  exclude?: string[]
  maxPages?: number
  maxBytes?: number
  maxTime?: number
  delay?: number
  politeness: WatchRequest['politeness']
  minDelay: number
  feed?: string[]
  sitemap?: string[]
  inactive?: boolean
}

export async function add(given: string[], options: AddOptions): Promise<number> {
  const listed = options.file === undefined ? [] : await readUrls(options.file)
  const typed = [...given, ...listed]
  if (typed.length === 0) {
    throw new BadOption('watch add', 'addresses, or --file with a list of them', 'nothing')
  }
  const request = requestOf(typedAddresses('watch add', typed), options)
  const { urls, feeds = [], sitemaps = [] } = request
  await requireWatchable([...urls, ...feeds, ...sitemaps], options)
  warnAboutPrivateAddresses(options.allowPrivateAddresses)
  return throughApi(
    options,
    async (api) => {
      const watch = await api.post<WatchDetail>('/watches', request)
      if (options.json) return printJson(watch)
      const pace = watch.periodMs === null ? 'automatic' : `every ${durationText(watch.periodMs)}`
      const count = watch.urls === 1 ? watch.url : `${watch.urls} addresses`
      say(`watch ${watch.id} “${watch.name}”: ${watch.subject}, ${count}, ${pace}`)
    },
    true,
  )
}

/** As the station would say it, before the folder is made, which would stay behind. */
async function requireWatchable(urls: readonly string[], options: AddOptions): Promise<void> {
  const refused = await findRefused(urls, options)
  if (refused === null) return
  const message = `${refused.url} cannot be watched: ${refused.reason}. ${remedyOf(refused)}`
  throw new Reported({ code: 'MINGA_WATCH_REFUSED', message })
}

function subjectOf(urls: readonly string[], options: AddOptions): WatchSubject {
  if (options.site) return 'site'
  return urls.length > 1 || options.file !== undefined ? 'list' : 'page'
}

function requestOf(urls: string[], options: AddOptions): WatchRequest {
  return {
    ...settingsOf(options),
    subject: subjectOf(urls, options),
    urls,
    feeds: typedAddresses('--feed', options.feed ?? []),
    sitemaps: typedAddresses('--sitemap', options.sitemap ?? []),
    scope: options.scope,
    include: options.include ?? [],
    exclude: options.exclude ?? [],
    maxPages: options.maxPages ?? null,
    maxBytes: options.maxBytes ?? null,
    maxTimeS: options.maxTime ?? null,
    isActive: options.inactive !== true,
    politeness: options.politeness,
    delayMinMs: options.minDelay,
    ...(options.delay === undefined ? {} : { delayMs: options.delay }),
  }
}
