/**
 * A bare pass over a dump with a parser of npm: revisions and characters of text are counted, nothing is kept.
 *   node bench/wiki-pass-main.ts saxes|htmlparser2 FILE
 */
import { createReadStream } from 'node:fs'
import { Parser } from 'htmlparser2'
import { SaxesParser } from 'saxes'

interface BareParser {
  write(text: string): void
  end(): void
}

const CHUNK_BYTES = 1024 * 1024

let revisions = 0
let characters = 0
let isText = false

function opened(name: string): void {
  isText = name === 'text'
  if (name === 'revision') revisions++
}

function texted(text: string): void {
  if (isText) characters += text.length
}

function closed(): void {
  isText = false
}

function saxes(): BareParser {
  const parser = new SaxesParser()
  parser.on('opentag', ({ name }) => opened(name))
  parser.on('text', texted)
  parser.on('closetag', closed)
  return { write: (text) => void parser.write(text), end: () => void parser.close() }
}

function htmlparser2(): BareParser {
  return new Parser({ onopentag: opened, ontext: texted, onclosetag: closed }, { xmlMode: true })
}

const [name, file = ''] = process.argv.slice(2)
const parser = name === 'saxes' ? saxes() : htmlparser2()
const chunks = createReadStream(file, { encoding: 'utf8', highWaterMark: CHUNK_BYTES })
for await (const chunk of chunks) parser.write(chunk as string)
parser.end()
console.log(JSON.stringify({ revisions, characters }))
