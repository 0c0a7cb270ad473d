/** The figures of a plot in rows: first when or what, then numbers. */
interface PlotTableProps {
  caption?: string
  heads: readonly string[]
  rows: readonly { key: string | number; cells: readonly string[] }[]
}

export function PlotTable({ caption, heads, rows }: PlotTableProps) {
  return (
    <table>
      {caption === undefined ? null : <caption className="unseen">{caption}</caption>}
      <thead>
        <tr>
          {heads.map((head, i) => (
            <th key={i} scope="col" {...(i === 0 ? {} : { className: 'number' })}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ key, cells }) => (
          <tr key={key}>
            {cells.map((cell, i) => (
              <td key={i} {...(i === 0 ? {} : { className: 'number' })}>
                {cell}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
