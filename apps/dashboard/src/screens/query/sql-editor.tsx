/** Where SQL is written: Ctrl+Enter asks, names of tables and columns are offered while they are typed. */
import type { KeyboardEvent, RefObject } from 'react'
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import type { TableView } from '@minga/protocol'
import { completed, suggest, type Edited } from './sql-words.ts'

interface SqlEditorProps {
  area: RefObject<HTMLTextAreaElement | null>
  edited: Edited
  onEdit: (edited: Edited) => void
  /** The same, and the cursor goes there. */
  onPut: (edited: Edited) => void
  tables: readonly TableView[]
  isAsking: boolean
  onAsk: () => void
  onStop: () => void
}

const ROWS = 9

export function SqlEditor(props: SqlEditorProps) {
  const { area, edited, onEdit, onPut, tables, isAsking, onAsk, onStop } = props
  const { t } = useTranslation()
  const { sql, cursor } = edited
  const suggestions = suggest(sql, cursor, tables)
  const choose = (word: string): void => onPut(completed(sql, cursor, word))
  const onKey = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    const isCommand = event.ctrlKey || event.metaKey
    if (isCommand && event.key === 'Enter') {
      event.preventDefault()
      if (!isAsking && sql.trim() !== '') onAsk()
    } else if (isCommand && event.key === ' ' && suggestions[0] !== undefined) {
      event.preventDefault()
      choose(suggestions[0].word)
    }
  }
  return (
    <div className="sql-editor">
      <label htmlFor="sql-text">
        <b>{t('sql.text')}</b> <small>{t('sql.keys')}</small>
      </label>
      <textarea
        id="sql-text"
        ref={area}
        rows={ROWS}
        spellCheck={false}
        autoCapitalize="off"
        value={sql}
        onChange={({ target }) => onEdit({ sql: target.value, cursor: target.selectionStart })}
        onSelect={({ currentTarget }) => onEdit({ sql, cursor: currentTarget.selectionStart })}
        onKeyDown={onKey}
      />
      <div className="suggestions" role="group" aria-label={t('sql.suggestions')}>
        {suggestions.map(({ word, what, of }) => (
          <button key={`${what} ${word}`} type="button" onClick={() => choose(word)}>
            {word} <small>{what === 'table' ? t('query.table') : of}</small>
          </button>
        ))}
      </div>
      <div className="actions">
        <Button className="primary" isDisabled={isAsking || sql.trim() === ''} onPress={onAsk}>
          {t('sql.ask')}
        </Button>
        {isAsking ? <Button onPress={onStop}>{t('sql.stop')}</Button> : null}
        <span role="status" className="quiet">
          {isAsking ? t('sql.asking') : ''}
        </span>
      </div>
    </div>
  )
}
