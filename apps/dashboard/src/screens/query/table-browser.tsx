/** Tables next to the editor: their columns, their size and some rows. */
import type { UseQueryResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { TableView } from '@minga/protocol'
import { useStation } from '../../api/use-station.ts'
import { Loaded } from '../../components/loaded.tsx'
import { useFormat } from '../../components/use-format.ts'
import { textOf } from './quick-plot.ts'

interface TableBrowserProps {
  tables: UseQueryResult<TableView[]>
  onInsert: (name: string) => void
}

const SAMPLE_ROWS = 3

export function TableBrowser({ tables, onInsert }: TableBrowserProps) {
  const { t } = useTranslation()
  const [typed, setTyped] = useState('')
  return (
    <section className="card table-browser" aria-label={t('sql.tables')}>
      <h2>{t('sql.tables')}</h2>
      <p className="quiet">{t('sql.tablesNote')}</p>
      <input
        type="search"
        aria-label={t('sql.findTable')}
        placeholder={t('sql.findTable')}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
      <Loaded query={tables}>
        {(all) => (
          <ul>
            {all
              .filter((table) => matches(table, typed))
              .map((table) => (
                <li key={table.name}>
                  <Table table={table} onInsert={onInsert} />
                </li>
              ))}
          </ul>
        )}
      </Loaded>
    </section>
  )
}

function matches({ name, columns }: TableView, typed: string): boolean {
  const word = typed.trim().toLowerCase()
  return [name, ...columns.map((column) => column.name)].some((one) =>
    one.toLowerCase().includes(word),
  )
}

function Table({ table, onInsert }: { table: TableView; onInsert: (name: string) => void }) {
  const { t } = useTranslation()
  const format = useFormat()
  const [isOpen, setOpen] = useState(false)
  const { name, columns, rows, bytes } = table
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <b>{name}</b>{' '}
        <small>
          {t('sql.size', { count: rows, number: format.count(rows), bytes: format.bytes(bytes) })}
        </small>
      </summary>
      {isOpen ? (
        <>
          <button type="button" className="insert" onClick={() => onInsert(name)}>
            {t('sql.insert', { name })}
          </button>
          <ul className="columns-list">
            {columns.map((column) => (
              <li key={column.name}>
                <button type="button" className="insert" onClick={() => onInsert(column.name)}>
                  {column.name}
                </button>{' '}
                <small>{column.type}</small>
              </li>
            ))}
          </ul>
          <Sample name={name} />
          <Link to="/tables/$name" params={{ name }}>
            {t('sql.more')}
          </Link>
        </>
      ) : null}
    </details>
  )
}

function Sample({ name }: { name: string }) {
  const { t } = useTranslation()
  const sample = useStation(['table-sample', name], 'GET /tables/{name}/rows', {
    params: { name },
    query: { version: null, limit: SAMPLE_ROWS },
  })
  return (
    <Loaded query={sample}>
      {({ columns, rows }) =>
        rows.length === 0 ? (
          <p className="quiet">{t('sql.noRows')}</p>
        ) : (
          <dl className="sample">
            {columns.map((column, place) => (
              <div key={column.name}>
                <dt>{column.name}</dt>
                <dd>{rows.map((row) => textOf(row[place])).join(' · ')}</dd>
              </div>
            ))}
          </dl>
        )
      }
    </Loaded>
  )
}
