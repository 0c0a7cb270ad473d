/** SQL over every table that the reader may see: tables on one side, the question and its answer on the other. */
import type { SqlAnswer } from '@minga/protocol'
import { Button } from 'react-aria-components'
import { useMutation } from '@tanstack/react-query'
import { useLocation, useNavigate, useSearch } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Ago } from '../../components/ago.tsx'
import { useStation } from '../../api/use-station.ts'
import { ApiFailure, ask } from '../../api/call.ts'
import { useFormat } from '../../components/use-format.ts'
import { RequirePermission } from '../../auth/require-permission.tsx'
import { SqlAnswerView } from './sql-answer.tsx'
import { SqlEditor } from './sql-editor.tsx'
import { SqlKeep } from './sql-keep.tsx'
import {
  fragmentOf,
  inserted,
  sqlIn,
  type Edited,
  historyIn,
  remembered,
  type Asked,
} from './sql-words.ts'
import { TableBrowser } from './table-browser.tsx'

async function askSql(sql: string, signal: AbortSignal): Promise<SqlAnswer> {
  const response = await ask('POST', '/sql', { body: { sql, format: 'json' }, signal })
  return (await response.json()) as SqlAnswer
}

const FIRST_SQL = 'SELECT *\nFROM captures\nLIMIT 100'

export function SqlScreen() {
  const { t } = useTranslation()
  return (
    <RequirePermission may="tables:read" title={t('sql.title')}>
      <h1>{t('sql.title')}</h1>
      <p className="quiet">{t('sql.lead')}</p>
      <Sql />
    </RequirePermission>
  )
}

function Sql() {
  const { hash } = useLocation()
  const { saved } = useSearch({ strict: false }) as { saved?: string }
  const tables = useStation(['tables'], 'GET /tables')
  const [edited, setEdited] = useState<Edited>(() => {
    const sql = sqlIn(hash) ?? FIRST_SQL
    return { sql, cursor: sql.length }
  })
  const asking = useAsking()
  const area = useRef<HTMLTextAreaElement>(null)
  const put = (next: Edited): void => {
    setEdited(next)
    // Where the name was put, so that typing continues after it.
    requestAnimationFrame(() => {
      area.current?.focus()
      area.current?.setSelectionRange(next.cursor, next.cursor)
    })
  }
  const insert = (name: string): void => {
    const from = area.current?.selectionStart ?? edited.cursor
    const to = area.current?.selectionEnd ?? edited.cursor
    put(inserted(edited.sql, { from, to }, name))
  }
  return (
    <div className="sql-columns">
      <TableBrowser tables={tables} onInsert={insert} />
      <div>
        <section className="card">
          <SqlEditor
            area={area}
            edited={edited}
            onEdit={setEdited}
            onPut={put}
            tables={tables.data ?? []}
            isAsking={asking.isPending}
            onAsk={() => asking.ask(edited.sql)}
            onStop={asking.stop}
          />
          <Limits />
          <SqlKeep sql={edited.sql} saved={saved ?? null} />
          <SqlHistory
            history={asking.history}
            onForget={asking.forget}
            onChoose={(sql) => put({ sql, cursor: sql.length })}
          />
        </section>
        <SqlAnswerView asking={asking} />
      </div>
    </div>
  )
}

export interface Asking {
  ask: (sql: string) => void
  stop: () => void
  isPending: boolean
  isStopped: boolean
  error: Error | null
  answer: { sql: string; tookMs: number; said: Awaited<ReturnType<typeof askSql>> } | null
  history: ReturnType<typeof useHistory>['history']
  forget: () => void
}

function useAsking(): Asking {
  const navigate = useNavigate()
  const { history, remember, forget } = useHistory()
  const over = useRef(new AbortController())
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: async (sql: string) => {
      over.current = new AbortController()
      const begun = performance.now()
      const said = await askSql(sql, over.current.signal)
      return { sql, said, tookMs: performance.now() - begun }
    },
  })
  return {
    ask: (sql) => {
      remember(sql)
      // A link to this page asks the same; what stands behind the # never leaves the browser.
      void navigate({
        to: '.',
        search: ((former: object) => former) as never,
        hash: fragmentOf(sql),
        replace: true,
        resetScroll: false,
      })
      mutate(sql)
    },
    stop: () => over.current.abort(),
    isPending,
    isStopped: error instanceof ApiFailure && error.status === 0 && over.current.signal.aborted,
    error,
    answer: data ?? null,
    history,
    forget,
  }
}

function Limits() {
  const { t } = useTranslation()
  const format = useFormat()
  const { data } = useStation(['sql-limits'], 'GET /sql/limits')
  if (data === undefined) return null
  return (
    <p className="quiet">
      {t('sql.limits', {
        rows: format.count(data.jsonRowsMax),
        fileRows: format.count(data.rowsMax),
        memory: format.bytes(data.memoryMb * 1_000_000),
        time: format.span(data.timeoutMs),
      })}
    </p>
  )
}

const STORED_AS = 'minga:sql-history'

/** What was asked in this browser before; it stays here. */
function useHistory(): { history: Asked[]; remember: (sql: string) => void; forget: () => void } {
  const [history, setHistory] = useState(() => historyIn(localStorage.getItem(STORED_AS)))
  const keep = (next: Asked[]): void => {
    setHistory(next)
    localStorage.setItem(STORED_AS, JSON.stringify(next))
  }
  return {
    history,
    remember: (sql) => keep(remembered(history, { sql, at: Date.now() })),
    forget: () => keep([]),
  }
}

interface SqlHistoryProps {
  history: readonly Asked[]
  onChoose: (sql: string) => void
  onForget: () => void
}

function SqlHistory({ history, onChoose, onForget }: SqlHistoryProps) {
  const { t } = useTranslation()
  if (history.length === 0) return null
  return (
    <details>
      <summary>{t('sql.history', { count: history.length })}</summary>
      <ol className="sql-history">
        {history.map(({ sql, at }) => (
          <li key={sql}>
            <button type="button" onClick={() => onChoose(sql)}>
              <code>{sql}</code>
            </button>{' '}
            <span className="quiet">
              <Ago at={at} />
            </span>
          </li>
        ))}
      </ol>
      <Button onPress={onForget}>{t('sql.forget')}</Button>
    </details>
  )
}
