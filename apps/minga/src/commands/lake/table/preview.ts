/** What `minga table import --dry-run` prints. */
import type { ImportPreview, ImportReject } from '@minga/protocol'
import { textTable } from '../answers.ts'

const ROWS_SHOWN = 10

const OUTCOMES = {
  dropped: 'row rejected',
  emptied: 'value left empty',
  mended: 'row repaired',
} as const satisfies Record<ImportReject['outcome'], string>

export function previewLines(table: string, preview: ImportPreview): string[] {
  const { columns, rows, rowsRead, rowsKept, isWhole, rejects } = preview
  const whole = isWhole ? 'all of the file' : 'its first'
  const types = columns.map(({ name, type }) => [name, type])
  return [
    `${table}: ${rowsRead} rows read (${whole}), ${rowsKept} would be kept; nothing was changed`,
    '',
    ...textTable(['column', 'type'], types),
    '',
    ...textTable(
      columns.map(({ name }) => name),
      rows.slice(0, ROWS_SHOWN),
    ),
    '',
    ...(rejects.length === 0 ? ['Nothing would be left out.'] : rejects.flatMap(rejectLines)),
  ]
}

function rejectLines({ reason, count, outcome, examples }: ImportReject): string[] {
  const lines = examples.map(({ line, text }) => {
    const shown = JSON.stringify(text)
    return line === null ? `    ${shown}` : `    line ${line}: ${shown}`
  })
  return [`${count}  ${reason} (${OUTCOMES[outcome]})`, ...lines]
}
