/** Figures down, pages across; it scrolls in a box of its own where there is no room for all pages. */
import { useTranslation } from 'react-i18next'

export interface ComparedRow {
  label: string
  cells: readonly string[]
}

interface CompareTableProps {
  caption: string
  heads: readonly string[]
  rows: readonly ComparedRow[]
}

export function CompareTable({ caption, heads, rows }: CompareTableProps) {
  const { t } = useTranslation()
  return (
    <div className="wide-box" role="region" aria-label={caption} tabIndex={0}>
      <table className="compare-table">
        <caption className="unseen">{caption}</caption>
        <thead>
          <tr>
            <th scope="col">{t('wikiCompare.figure')}</th>
            {heads.map((head, i) => (
              <th key={i} scope="col" className="number">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ label, cells }) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              {cells.map((cell, i) => (
                <td key={i} className="number">
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
