/** Rows of an answer, whatever their columns are: the shared list, which stays quick with all of them. */
import { useMemo, type CSSProperties } from 'react'
import { useTranslation } from 'react-i18next'
import { EmptyState } from '../../components/empty-state.tsx'
import type { ListColumn } from '../../components/list/list-column.ts'
import { List } from '../../components/list/list.tsx'
import { numberIn, textOf, type Answer } from './quick-plot.ts'

interface AnswerRow {
  place: number
  cells: readonly unknown[]
}

interface AnswerTableProps {
  answer: Answer
  caption: string
  /** What an exported file is called. */
  fileName: string
  /** Of several on one screen. */
  name?: string
}

const SAMPLE = 50
const SHORT = 60

export function AnswerTable({ answer, caption, fileName, name = 'rows' }: AnswerTableProps) {
  const { t } = useTranslation()
  const columns = useMemo(() => columnsOf(answer), [answer])
  const rows = useMemo(
    () => answer.rows.map((cells, place): AnswerRow => ({ place, cells })),
    [answer],
  )
  return (
    // Many columns are wider than the page: they scroll in a box of their own, which the keyboard reaches.
    <div
      className="answer-table"
      style={{ '--columns': answer.columns.length } as CSSProperties}
      role="group"
      aria-label={caption}
      tabIndex={0}
    >
      <List
        caption={caption}
        columns={columns}
        rows={{ data: rows, error: null }}
        keyOf={({ place }) => place}
        empty={<EmptyState title={t('query.noRows')} />}
        fileName={fileName}
        name={name}
        isBoxed
      />
    </div>
  )
}

/** Of what is cut on the screen. */
function titleOf(cell: unknown): string | undefined {
  const text = textOf(cell)
  return text.length > SHORT ? text : undefined
}

function columnsOf({ columns, rows }: Answer): ListColumn<AnswerRow>[] {
  return columns.map((label, place) => {
    const sample = rows.slice(0, SAMPLE).flatMap((row) => (row[place] === null ? [] : [row[place]]))
    const isNumber = sample.length > 0 && sample.every((cell) => numberIn(cell) !== null)
    return {
      // Names of columns are strangers' words: the address knows them by their places.
      id: `c${place}`,
      label,
      isNumber,
      isAddress: !isNumber,
      value: ({ cells }) => (isNumber ? numberIn(cells[place]) : textOf(cells[place])),
      cell: ({ cells }) =>
        cells[place] === null ? (
          <span className="quiet">–</span>
        ) : (
          <div className="cell-text" title={titleOf(cells[place])}>
            {textOf(cells[place])}
          </div>
        ),
    }
  })
}
