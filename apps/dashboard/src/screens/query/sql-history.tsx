/** What was asked in this browser before; it stays here. */
import { useState } from 'react'
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { Ago } from '../../components/ago.tsx'
import { historyIn, remembered, type Asked } from './sql-words.ts'

const STORED_AS = 'minga:sql-history'

export function useHistory(): {
  history: Asked[]
  remember: (sql: string) => void
  forget: () => void
} {
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

export function SqlHistory({ history, onChoose, onForget }: SqlHistoryProps) {
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
