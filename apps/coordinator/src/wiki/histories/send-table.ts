/** Tables as files to be saved, sent piece by piece whatever their length. */
import { createReadStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { csvOf, jsonlOf, writeParquet, type ExportTable } from '@minga/wiki'
import type { FastifyReply } from 'fastify'

export type TableForm = 'csv' | 'jsonl' | 'parquet'

const TYPES: Record<TableForm, string> = {
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/x-ndjson; charset=utf-8',
  parquet: 'application/vnd.apache.parquet',
}

export function sendTable(reply: FastifyReply, table: ExportTable, form: TableForm): FastifyReply {
  return reply.type(TYPES[form]).send(Readable.from(piecesOf(table, form), { objectMode: false }))
}

function piecesOf(table: ExportTable, form: TableForm): AsyncGenerator<Uint8Array> {
  if (form === 'parquet') return parquetOf(table)
  return gathered(form === 'csv' ? csvOf(table) : jsonlOf(table))
}

/** A row is less than it costs to send something. */
const PIECE_CHARS = 64 * 1024

async function* gathered(lines: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  let text = ''
  for await (const line of lines) {
    text += line
    if (text.length < PIECE_CHARS) continue
    yield Buffer.from(text)
    text = ''
  }
  if (text !== '') yield Buffer.from(text)
}

/** Its end says where everything is, so the file is whole before its first byte is sent. */
async function* parquetOf(table: ExportTable): AsyncGenerator<Uint8Array> {
  const folder = await mkdtemp(join(tmpdir(), 'minga-parquet-'))
  try {
    const file = join(folder, 'table.parquet')
    await writeParquet(table, { file, partsFolder: folder })
    yield* createReadStream(file)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
