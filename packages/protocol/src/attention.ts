/** What needs a person's attention, as the server judges it: one list for the page and the command line. */
export const ATTENTION_LEVELS = ['error', 'warning', 'info'] as const
export type AttentionLevel = (typeof ATTENTION_LEVELS)[number]

export const ATTENTION_CODES = [
  'collection-failed',
  'collection-errors',
  'watch-failing',
  'watch-noisy',
  'device-quarantined',
  'device-silent',
  'devices-silent',
  'disk-low',
  'disk-full-soon',
  'no-contact',
  'no-public-address',
  'placement-uneven',
  'job-failed',
  'process-restarts',
] as const
export type AttentionCode = (typeof ATTENTION_CODES)[number]

export interface AttentionItem {
  code: AttentionCode
  level: AttentionLevel
  /** What the sentence names, to say it in another language. */
  params: Record<string, string | number>
  /** One sentence in English: what is the matter. */
  sentence: string
  /** One sentence in English: what to do about it. */
  remedy: string
  /** Start in milliseconds since the Unix epoch; null when unknown. */
  since: number | null
  /** Where the page of the station shows it. */
  link: string
}

export interface AttentionList {
  /** The gravest first; of one level the newest first. */
  items: AttentionItem[]
}
