/** `minga archive search`: captures by the words on them. */
import { cdxjTimestamp } from '@minga/archive'
import {
  systemClock,
  type ArchiveTextHit,
  type ArchiveTextPage,
  type MarkedText,
} from '@minga/protocol'
import { Option, type Command } from 'commander'
import { openApi, type Api } from '../../api.ts'
import { EXIT } from '../../exit-codes.ts'
import { dataOption, wholeNumber } from '../../options.ts'
import type { Run } from '../../run-program.ts'
import { requireArchive } from './folder.ts'
import { Output } from './output.ts'
import { firstInstantOf, lastInstantOf } from './time.ts'

export function searchCommand(archive: Command, run: Run): void {
  archive
    .command('search')
    .argument('<words...>', 'all of them; "in quotes" in this order; begin*; -without')
    .description('find captures by their words, the latest texts first')
    .addOption(dataOption())
    .option('--collection <n>', 'only captures of this collection', wholeNumber('--collection', 1))
    .option('--host <name>', 'only captures of this host')
    .option(
      '--from <time>',
      'only captures from this time on: 2026, 20260131, 2026-01-31T12:00:00Z …',
    )
    .option('--to <time>', 'only captures up to this time; a date includes the whole day')
    .option('--limit <n>', 'at most this many', wholeNumber('--limit', 1), 20)
    .addOption(new Option('--jsonl', 'one JSON object per line').conflicts('json'))
    .option('--json', 'one JSON object with all of them')
    .addHelpText('after', EXAMPLES)
    .action(run(searchArchive))
}

const EXAMPLES = `
Examples:
  minga archive search minga
  minga archive search '"año nuevo" colect* -2024' --host example.org
  minga archive search harvest --from 2026-01 --to 2026-03 --jsonl | jq -r .url

Case and accents do not count. Each line of --jsonl: {"url","timestamp","title","snippet","collection",
"captures"}; captures with the very same bytes are one hit. --json prints {"hits":[…],"indexed","captures"}.
A station indexes what it captures a little later; without one this command does it first.
`

interface SearchOptions {
  data: string
  collection?: number
  host?: string
  from?: string
  to?: string
  limit: number
  jsonl?: boolean
  json?: boolean
}

/** The most of one page. */
const PAGE_HITS = 100

async function searchArchive(words: string[], options: SearchOptions): Promise<number> {
  const data = requireArchive(options.data)
  const asked = askedFor(words, options)
  const api = await openApi(data)
  const output = new Output()
  try {
    if (api.url === null) await waitForIndex(api)
    const { hits, index } = await hitsOf(api, asked, options.limit)
    await output.write(shown(hits, index, options))
    await output.end()
    if (!options.json) tell(hits.length, index)
    return EXIT.ok
  } finally {
    await api.close()
  }
}

function askedFor(words: readonly string[], options: SearchOptions): URLSearchParams {
  // The shell took the quotes of a phrase: an argument of several words was one.
  const q = words.length > 1 ? words.map(asTerm).join(' ') : words.join('')
  const asked = new URLSearchParams({ q })
  if (options.collection !== undefined) asked.set('collectionId', String(options.collection))
  if (options.host !== undefined) asked.set('host', options.host)
  const { from, to } = options
  if (from !== undefined) asked.set('from', String(firstInstantOf(from, '--from')))
  if (to !== undefined) asked.set('to', String(lastInstantOf(to, '--to')))
  return asked
}

const asTerm = (word: string): string =>
  /\s/.test(word) && !word.includes('"') ? `"${word}"` : word

/** No other process indexes a folder that no station serves. */
async function waitForIndex(api: Api): Promise<void> {
  for (let told = false; ; told = true) {
    const { index } = await api.get<ArchiveTextPage>('/archive/text?q=')
    if (!index.isOn || index.indexed >= index.captures) return
    if (!told) process.stderr.write(`minga: indexing ${index.captures - index.indexed} captures…\n`)
    await systemClock.sleep(LOOK_EVERY_MS)
  }
}

const LOOK_EVERY_MS = 1_000

async function hitsOf(
  api: Api,
  asked: URLSearchParams,
  limit: number,
): Promise<Pick<ArchiveTextPage, 'hits' | 'index'>> {
  const hits: ArchiveTextHit[] = []
  for (;;) {
    asked.set('limit', String(Math.min(PAGE_HITS, limit - hits.length)))
    const page = await api.get<ArchiveTextPage>(`/archive/text?${asked.toString()}`)
    hits.push(...page.hits)
    if (page.next === null || hits.length >= limit) return { hits, index: page.index }
    asked.set('after', String(page.next))
  }
}

/** The contract of `--jsonl`. */
function rowOf(hit: ArchiveTextHit): Record<string, string | number | null> {
  const { url, capturedAt, title, snippet, collectionId: collection, captures } = hit
  const timestamp = cdxjTimestamp(capturedAt)
  return { url, timestamp, title: title?.text ?? null, snippet: snippet.text, collection, captures }
}

function shown(
  hits: readonly ArchiveTextHit[],
  { indexed, captures }: ArchiveTextPage['index'],
  { json, jsonl }: SearchOptions,
): string {
  if (json) return `${JSON.stringify({ hits: hits.map(rowOf), indexed, captures })}\n`
  if (jsonl) return hits.map((hit) => `${JSON.stringify(rowOf(hit))}\n`).join('')
  return hits.map(paragraph).join('\n')
}

function paragraph({ url, capturedAt, title, snippet }: ArchiveTextHit): string {
  const name = title === null ? '' : `  ${clean(title)}`
  return `${cdxjTimestamp(capturedAt)}${name}\n  ${url}\n  ${clean(snippet)}\n`
}

/** Words of strangers must not steer a terminal. */
const clean = ({ text }: MarkedText): string => text.replaceAll(/\p{Cc}+/gu, ' ')

function tell(hits: number, { isOn, indexed, captures }: ArchiveTextPage['index']): void {
  const say = (line: string): void => void process.stderr.write(`minga: ${line}\n`)
  if (!isOn) say('text search is turned off (setting textCharacters)')
  else if (hits === 0) say('no capture has these words')
  if (isOn && indexed < captures) say(`${indexed} of ${captures} captures are indexed so far`)
}
