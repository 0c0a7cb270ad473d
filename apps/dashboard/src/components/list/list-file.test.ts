// Goal: exported files are read by spreadsheets and programs, and no stranger's text is run by them. Method:
// rows as plain values, files as text.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FilledColumn } from './list-column.ts'
import { pieces } from './list-file.ts'

interface Row {
  name: string
  size: number
  at: number | null
}

const COLUMNS: FilledColumn<Row>[] = [
  { id: 'name', label: 'Name', cell: () => null, value: ({ name }) => name },
  { id: 'size', label: 'Size', cell: () => null, value: ({ size }) => size },
  { id: 'at', label: 'When', cell: () => null, value: ({ at }) => at, isTime: true },
  { id: 'change', label: 'Change', cell: () => null },
]

const fileOf = (rows: Row[], kind: 'csv' | 'jsonl'): string =>
  [...pieces(rows, COLUMNS, kind)].join('')

test('a CSV has a line of names, quotes where they are needed, and dates for times', () => {
  const text = fileOf([{ name: 'a "b", c\nd', size: -5, at: Date.UTC(2026, 0, 2) }], 'csv')
  assert.equal(text, 'name,size,at\r\n"a ""b"", c\nd",-5,2026-01-02T00:00:00.000Z\r\n')
})

test('a title that begins as a formula does is text to a spreadsheet', () => {
  for (const name of ['=1+1', '+1', '-1', '@sum', '\t=1', ' =1', '\r=1']) {
    const field = fileOf([{ name, size: 1, at: null }], 'csv').split('\r\n')[1]!
    assert.match(field, /^"?'/, JSON.stringify(name))
  }
  const address = fileOf([{ name: 'https://a.example/=1', size: 1, at: null }], 'csv')
  assert.match(address, /\nhttps:/)
})

test('JSON Lines are one object a line, with nothing left out and numbers as numbers', () => {
  const rows = Array.from({ length: 12_000 }, (_, i) => ({ name: `=${i}`, size: i, at: null }))
  const lines = fileOf(rows, 'jsonl').trimEnd().split('\n')
  assert.equal(lines.length, rows.length)
  assert.deepEqual(JSON.parse(lines[11_999]!), { name: '=11999', size: 11_999, at: null })
})
