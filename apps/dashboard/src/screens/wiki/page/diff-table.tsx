/** Lines of two revisions. Signs and words say what happened, not colours alone. */
import { useState } from 'react'
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import {
  textOfLine,
  type DiffLine,
  type DiffPart,
  type DiffRow,
  type Skipped,
} from './diff-rows.ts'

interface DiffTableProps {
  rows: readonly (DiffRow | Skipped)[]
  /** Whole lines are gone or new; otherwise the words in them. */
  isByLine: boolean
  isBeside: boolean
}

const ROWS_SHOWN = 1_000

export function DiffTable({ rows, isByLine, isBeside }: DiffTableProps) {
  const { t } = useTranslation()
  const [most, setMost] = useState(ROWS_SHOWN)
  const Row = isBeside ? RowBeside : RowInline
  return (
    <>
      <div className="diff-box" role="region" aria-label={t('wikiPage.views.diff')} tabIndex={0}>
        <table className={`wiki-diff ${isBeside ? 'beside' : 'inline'}`}>
          <caption className="unseen">{t('wikiPage.views.diff')}</caption>
          <colgroup>
            <col className="line-number" />
            <col />
            {isBeside ? (
              <>
                <col className="line-number" />
                <col />
              </>
            ) : null}
          </colgroup>
          <thead className="unseen">
            <tr>
              <th scope="col">{t('wikiPage.line')}</th>
              <th scope="col">{t('wikiPage.before')}</th>
              {isBeside ? (
                <>
                  <th scope="col">{t('wikiPage.line')}</th>
                  <th scope="col">{t('wikiPage.after')}</th>
                </>
              ) : null}
            </tr>
          </thead>
          <tbody>
            {rows
              .slice(0, most)
              .map((row, i) =>
                row.kind === 'skipped' ? (
                  <SkippedRow key={i} row={row} columns={isBeside ? 4 : 2} />
                ) : (
                  <Row key={i} row={row} isByLine={isByLine} />
                ),
              )}
          </tbody>
        </table>
      </div>
      {rows.length > most ? (
        <Button onPress={() => setMost(most + ROWS_SHOWN)}>{t('more')}</Button>
      ) : null}
    </>
  )
}

function SkippedRow({ row, columns }: { row: Skipped; columns: number }) {
  const { t } = useTranslation()
  return (
    <tr className="skipped">
      <td colSpan={columns}>{t('wikiPage.skipped', { count: row.count })}</td>
    </tr>
  )
}

interface RowProps {
  row: DiffRow
  isByLine: boolean
}

function RowBeside({ row, isByLine }: RowProps) {
  return (
    <tr className={row.kind}>
      <Side line={row.before} row={row} isByLine={isByLine} kind="removed" />
      <Side line={row.after} row={row} isByLine={isByLine} kind="added" />
    </tr>
  )
}

function RowInline({ row, isByLine }: RowProps) {
  if (row.kind === 'same') {
    return (
      <tr>
        <Side line={row.after} row={row} isByLine={isByLine} kind="added" />
      </tr>
    )
  }
  return (
    <>
      {row.before === null ? null : (
        <tr>
          <Side line={row.before} row={row} isByLine={isByLine} kind="removed" />
        </tr>
      )}
      {row.after === null ? null : (
        <tr>
          <Side line={row.after} row={row} isByLine={isByLine} kind="added" />
        </tr>
      )}
    </>
  )
}

interface SideProps extends RowProps {
  line: DiffLine | null
  kind: 'removed' | 'added'
}

function Side({ line, row, isByLine, kind }: SideProps) {
  if (line === null) {
    return (
      <>
        <td className="line-number" />
        <td className="empty" />
      </>
    )
  }
  const isChanged = row.kind !== 'same'
  const sign = isChanged ? (kind === 'removed' ? '−' : '+') : ' '
  return (
    <>
      <td className="line-number">{line.number}</td>
      <td className={isChanged ? kind : ''}>
        <span className="sign" aria-hidden="true">
          {sign}
        </span>
        {isByLine && isChanged ? (
          <Run run={{ kind, text: textOfLine(line) }} />
        ) : (
          line.runs.map((run, i) => <Run key={i} run={run} />)
        )}
      </td>
    </>
  )
}

function Run({ run: { kind, text } }: { run: DiffPart }) {
  const { t } = useTranslation()
  if (kind === 'same') return <>{text}</>
  const isMoved = kind === 'moved-from' || kind === 'moved-to'
  const Word = kind === 'removed' || kind === 'moved-from' ? 'del' : 'ins'
  return (
    <Word {...(isMoved ? { className: 'moved', title: t('wikiPage.moved') } : {})}>{text}</Word>
  )
}
