/** `minga wiki list|stats|text|history|verify`: what is kept. */
import type { Api } from '../../api.ts'
import { EXIT } from '../../exit-codes.ts'
import { formatBytes } from '../../progress.ts'
import { Output } from '../archive/output.ts'
import { queryOf, slowly, throughWikis, wikiPath, type WikiOptions } from './folder.ts'
import { plainRevision, revisionText, type RevisionLine } from './text.ts'

interface WikiTotals {
  wiki: string
  pages: number
  revisions: number
  rawBytes: number
  storedBytes: number
  gaps: number
}

const statsOf = async (api: Api): Promise<WikiTotals[]> =>
  (await api.get<{ wikis: WikiTotals[] }>('/wikis')).wikis

export async function stats(options: WikiOptions): Promise<number> {
  const wikis = await throughWikis(options, statsOf)
  const output = new Output()
  if (options.json) {
    const shown = wikis.map(({ wiki, pages, revisions, rawBytes, storedBytes, gaps }) => ({
      wiki,
      pages,
      revisions,
      rawBytes,
      storedBytes,
      gaps,
    }))
    await output.write(`${JSON.stringify({ wikis: shown })}\n`)
  } else {
    for (const one of wikis) await output.write(`${totalsText(one)}\n`)
    if (wikis.length === 0) process.stderr.write('minga: no wikis yet\n')
  }
  await output.end()
  return EXIT.ok
}

function totalsText({ wiki, pages, revisions, rawBytes, storedBytes, gaps }: WikiTotals): string {
  const share = rawBytes > 0 ? ` (${((storedBytes / rawBytes) * 100).toFixed(1)} %)` : ''
  return `${wiki}: ${pages} pages, ${revisions} revisions, ${formatBytes(rawBytes)} of text in ${formatBytes(storedBytes)}${share}, ${gaps} gaps`
}

export async function list(options: WikiOptions): Promise<number> {
  const wikis = await throughWikis(options, statsOf)
  const output = new Output()
  const names = wikis.map(({ wiki }) => wiki)
  if (options.json) await output.write(`${JSON.stringify({ wikis: names })}\n`)
  else for (const name of names) await output.write(`${name}\n`)
  if (names.length === 0) process.stderr.write('minga: no wikis yet\n')
  await output.end()
  return EXIT.ok
}

export async function text(
  wiki: string,
  revId: number,
  options: WikiOptions & { slot: string },
): Promise<number> {
  const path = wikiPath(wiki, `/text/${revId}${queryOf({ slot: options.slot })}`)
  const { body } = await throughWikis(options, (api) => api.read(path))
  const output = new Output()
  await output.write(body)
  await output.end()
  return EXIT.ok
}

export interface HistoryOptions extends WikiOptions {
  jsonl?: boolean
  oldestFirst?: boolean
  limit?: number
  from?: number
  until?: number
}

export async function history(
  wiki: string,
  title: string,
  options: HistoryOptions,
): Promise<number> {
  const { oldestFirst, from, until, limit = Number.MAX_SAFE_INTEGER } = options
  const query = queryOf({ title, oldestFirst, from, until })
  await throughWikis(options, async (api) => {
    const output = new Output()
    let shown = 0
    const pieces = await api.stream(wikiPath(wiki, `/history${query}`))
    for await (const line of readLinesOf(pieces)) {
      if (shown++ === limit) break
      const revision = JSON.parse(line) as RevisionLine
      const said = options.jsonl ? JSON.stringify(plainRevision(revision)) : revisionText(revision)
      if (!(await output.write(`${said}\n`))) break
    }
    await output.end()
  })
  return EXIT.ok
}

interface Verified {
  wiki: string
  pages: number
  revisions: number
  gaps: { sentence: string; explainedBy: string | null }[]
  damages: string[]
}

export async function verify(wiki: string | undefined, options: WikiOptions): Promise<number> {
  const checked = await throughWikis(options, async (api) => {
    const wikis = wiki === undefined ? (await statsOf(api)).map((one) => one.wiki) : [wiki]
    const verified: Verified[] = []
    for (const name of wikis) {
      process.stderr.write(`minga: checking ${name}…\n`)
      verified.push(await slowly<Verified>(api, wikiPath(name, '/verify')))
    }
    return verified
  })
  const output = new Output()
  if (options.json) await output.write(`${JSON.stringify({ wikis: checked })}\n`)
  else for (const one of checked) await output.write(verifiedText(one))
  await output.end()
  return checked.some(({ damages }) => damages.length > 0) ? EXIT.error : EXIT.ok
}

function verifiedText({ wiki, pages, revisions, gaps, damages }: Verified): string {
  const open = gaps.filter(({ explainedBy }) => explainedBy === null)
  const head = `${wiki}: ${pages} pages, ${revisions} revisions, ${damages.length} damaged, ${open.length} gaps (${gaps.length - open.length} more are explained)`
  const lines = [...damages, ...open.map(({ sentence }) => sentence)]
  return [head, ...lines.map((line) => `  ${line}`)].map((line) => `${line}\n`).join('')
}

async function* readLinesOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const piece of pieces) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n')
    rest = lines.pop()!
    yield* lines
  }
  rest += decoder.decode()
  if (rest !== '') yield rest
}
