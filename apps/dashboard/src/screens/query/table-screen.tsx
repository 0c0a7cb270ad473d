/** One table: its columns, some rows, what it was before, what imports left out, and what can be done with it. */
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import type { ResultFormat, TableView } from '@minga/protocol'
import { useStation } from '../../api/use-station.ts'
import { station } from '../../api/station.ts'
import { askSqlFile } from '../../api/queries.ts'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { DataTable } from '../../components/data-table.tsx'
import { Failure } from '../../components/failure.tsx'
import { FiguresList } from '../../components/figures-list.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { useChange } from '../../components/use-change.ts'
import { saveFile } from '../../components/list/save-file.ts'
import { useFormat } from '../../components/use-format.ts'
import { RequirePermission } from '../../auth/require-permission.tsx'
import { useMe } from '../../auth/use-me.ts'
import { AnswerView } from './answer-view.tsx'
import { RESULT_FORMATS_SHOWN } from './formats.ts'
import { fragmentOf } from './sql-words.ts'
import { TableImport } from './table-import.tsx'
import { TableVersions } from './table-versions.tsx'

const EVERY_MS = 5_000
const ROWS_SHOWN = 500
const REJECTS_SHOWN = 1_000

export function TableScreen() {
  const { t } = useTranslation()
  const { name = '' } = useParams({ strict: false })
  return (
    <RequirePermission may="tables:read" title={t('tables.title')}>
      <Table key={name} name={name} />
    </RequirePermission>
  )
}

function Table({ name }: { name: string }) {
  const { t } = useTranslation()
  const { may } = useMe()
  const table = useStation(['table', name], 'GET /tables/{name}', {
    params: { name },
    refetchInterval: EVERY_MS,
  })
  const [version, setVersion] = useState<number | null>(null)
  return (
    <>
      {table.data === undefined ? <h1 className="unseen">{t('tables.title')}</h1> : null}
      <Loaded query={table}>
        {(view) => (
          <>
            <Summary table={view} />
            <div className="columns">
              <Columns table={view} />
              <TableVersions table={view} shown={version} onShow={setVersion} />
            </div>
            <Rows table={view} version={version} />
            {view.kind === 'own' ? <Rejects name={name} /> : null}
            {view.kind === 'own' && may('tables:write') ? <TableImport table={name} /> : null}
          </>
        )}
      </Loaded>
    </>
  )
}

function Summary({ table }: { table: TableView }) {
  const { t } = useTranslation()
  const format = useFormat()
  const { name, kind, rows, bytes, segments, version, changedAt } = table
  return (
    <section className="card summary">
      <header>
        <div>
          <p className="quiet">
            <Link to="/tables">{t('tables.title')}</Link>
          </p>
          <h1>{name}</h1>
        </div>
        <span className="quiet">{t(`tables.kind.${kind}`)}</span>
      </header>
      <FiguresList
        figures={[
          { label: t('tables.rows'), value: format.count(rows) },
          { label: t('figure.bytes'), value: format.bytes(bytes) },
          { label: t('tables.segments'), value: format.count(segments) },
          { label: t('tables.version'), value: format.count(version) },
          { label: t('tables.changed'), value: format.moment(changedAt) },
        ]}
      />
      <Actions table={table} />
    </section>
  )
}

function Actions({ table }: { table: TableView }) {
  const { t } = useTranslation()
  const { may } = useMe()
  const navigate = useNavigate()
  const { name, kind } = table
  const [mistyped, setMistyped] = useState(false)
  const file = useMutation({
    mutationFn: async (as: ResultFormat) =>
      saveFile(await askSqlFile(`SELECT * FROM ${name}`, as), `${name}.${as}`),
  })
  const compact = useChange(
    () => station('POST /tables/{name}/compact', { params: { name }, body: {} }),
    ['table', 'table-versions', 'tables'],
  )
  const drop = useChange(async () => {
    await station('DELETE /tables/{name}', { params: { name } })
    await navigate({ to: '/tables' })
  }, ['tables'])
  return (
    <div className="actions">
      <Link to="/sql" hash={fragmentOf(`SELECT *\nFROM ${name}\nLIMIT 100`)} className="button">
        {t('tables.askSql')}
      </Link>
      {RESULT_FORMATS_SHOWN.map((as) => (
        <Button key={as} isDisabled={file.isPending} onPress={() => file.mutate(as)}>
          {t('sql.export', { format: as.toUpperCase() })}
        </Button>
      ))}
      {may('tables:write') ? (
        <Button isDisabled={compact.isPending} onPress={() => compact.mutate(undefined)}>
          {t('tables.compact')}
        </Button>
      ) : null}
      {kind === 'own' && may('tables:write') ? (
        <ConfirmButton
          label={t('tables.drop')}
          title={t('tables.dropTitle', { name })}
          text={t('tables.dropText')}
          noteLabel={t('tables.dropName', { name })}
          yes={t('tables.dropYes')}
          onConfirm={(typed) => {
            setMistyped(typed !== name)
            if (typed === name) drop.mutate(undefined)
          }}
        />
      ) : null}
      <p role="status" className="quiet">
        {compact.data === undefined
          ? ''
          : compact.data.query === null
            ? t('tables.compactNothing')
            : t('tables.compactBegun')}
        {mistyped ? t('tables.dropMistyped') : ''}
      </p>
      <Failure error={file.error ?? compact.error ?? drop.error} />
    </div>
  )
}

function Columns({ table }: { table: TableView }) {
  const { t } = useTranslation()
  return (
    <section className="card">
      <h2>{t('tables.columns')}</h2>
      <DataTable
        caption={t('tables.columns')}
        columns={[
          { label: t('tables.rule.column'), isAddress: true, cell: ({ name }) => name },
          { label: t('tables.rule.type'), cell: ({ type }) => <code>{type}</code> },
        ]}
        rows={table.columns}
        keyOf={({ name }) => name}
      />
    </section>
  )
}

function Rows({ table, version }: { table: TableView; version: number | null }) {
  const { t } = useTranslation()
  const { name } = table
  const read = useQuery({
    queryKey: ['table-rows', name, version ?? table.version],
    queryFn: () =>
      station('GET /tables/{name}/rows', {
        params: { name },
        query: { version, limit: ROWS_SHOWN },
      }),
    // A table that is filled has a new version every few seconds: its rows are not to flicker.
    placeholderData: keepPreviousData,
  })
  const answer = useMemo(
    () => ({
      columns: read.data?.columns.map((column) => column.name) ?? [],
      rows: read.data?.rows ?? [],
    }),
    [read.data],
  )
  return (
    <section className="card">
      <h2>
        {version === null ? t('tables.someRows') : t('tables.rowsAt', { version })}{' '}
        <small>{t('tables.firstRows', { count: ROWS_SHOWN })}</small>
      </h2>
      <Loaded query={read}>
        {() => <AnswerView answer={answer} caption={name} fileName={name} />}
      </Loaded>
    </section>
  )
}

function Rejects({ name }: { name: string }) {
  const { t } = useTranslation()
  const format = useFormat()
  const rejects = useStation(['table-rejects', name], 'GET /tables/{name}/rejects', {
    params: { name },
    query: { limit: REJECTS_SHOWN },
  })
  const { columns = [], rows = [], reasons = {} } = rejects.data ?? {}
  const answer = useMemo(
    () => ({ columns: columns.map((column) => column.name), rows }),
    [columns, rows],
  )
  if (rows.length === 0) return <Failure error={rejects.error} />
  return (
    <section className="card">
      <h2>{t('query.rejects')}</h2>
      <p className="quiet">{t('tables.rejectsNote')}</p>
      <DataTable
        caption={t('query.rejects')}
        columns={[
          { label: t('query.reason'), isAddress: true, cell: ([reason]) => <code>{reason}</code> },
          { label: t('errors.count'), isNumber: true, cell: ([, count]) => format.count(count) },
        ]}
        rows={Object.entries(reasons)}
        keyOf={([reason]) => reason}
      />
      <details>
        <summary>{t('tables.rejectedRows')}</summary>
        <AnswerView
          answer={answer}
          caption={t('query.rejects')}
          fileName={`${name}_rejects`}
          name="rejects"
        />
      </details>
    </section>
  )
}
