/** `minga table generate`: synthetic files for trying queries. */
import { writeBooks } from '@minga/lake'
import { resolve } from 'node:path'
import { BadOption } from '../../../errors.ts'
import { EXIT } from '../../../exit-codes.ts'
import { requireFolder, writingTo } from '../../../output-place.ts'
import { formatBytes } from '../../../progress.ts'
import { printFacts } from '../answers.ts'

export interface GenerateOptions {
  out: string
  size: string
  seed: number
  json?: boolean
}

export async function generateBooks(set: string, options: GenerateOptions): Promise<number> {
  if (set !== 'books') throw new BadOption('generate', 'books', set)
  const folder = resolve(options.out)
  const reviewBytes = bytesOf(options.size)
  await requireFolder('--out', options.out)
  const facts = await writingTo(folder, () =>
    writeBooks({ folder, seed: options.seed, reviewBytes }),
  )
  const { booksPath, reviewsPath, books, reviews, bookBytes } = facts
  printFacts(options, facts, [
    `${booksPath}: ${books} books, ${formatBytes(bookBytes)}`,
    `${reviewsPath}: ${reviews} reviews, ${formatBytes(facts.reviewBytes)}`,
  ])
  return EXIT.ok
}

const UNITS: Record<string, number> = { '': 1, K: 1e3, M: 1e6, G: 1e9 }

function bytesOf(text: string): number {
  const { number, unit } =
    /^(?<number>\d+(?:\.\d+)?)\s*(?<unit>[KMG]?)B?$/i.exec(text)?.groups ?? {}
  if (number === undefined) throw new BadOption('--size', 'a size such as 300MB', text)
  return Math.round(Number(number) * UNITS[(unit ?? '').toUpperCase()]!)
}
