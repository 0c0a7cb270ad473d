/** A user's own query as text: errors are shown where they are. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { TFunction } from 'i18next'
import { useEffect, useState } from 'react'
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import type { SavedView } from '@minga/protocol'
import { station } from '../../api/station.ts'
import { Failure } from '../../components/failure.tsx'
import { Field } from '../../components/field.tsx'
import { tell } from '../../components/frame/toast-store.ts'
import { FIRST_TEXT, readText, type ReadText } from './query-text.ts'

interface QueryEditorProps {
  saved: SavedView | null
  /** Null before anything was written. */
  text: string | null
  onText: (text: string) => void
}

const ROWS = 18

export function QueryEditor({ saved, text, onText }: QueryEditorProps) {
  const { t } = useTranslation()
  useEffect(() => {
    if (text === null) onText(FIRST_TEXT)
  }, [text, onText])
  const written = text ?? FIRST_TEXT
  const read = readText(written)
  return (
    <section className="card">
      <h2>{t('query.editor')}</h2>
      <Field
        label={t('query.text')}
        help={t('query.textHelp')}
        value={written}
        onChange={onText}
        rows={ROWS}
        problem={problemOf(t, read)}
      />
      <Keep saved={saved} text={written} usual={'query' in read ? read.query.name : ''} />
    </section>
  )
}

function problemOf(t: TFunction, read: ReadText): string | undefined {
  if (!('problem' in read)) return undefined
  const { problem, line, column, detail } = read
  if (problem === 'shape') return t('query.shape', { field: detail })
  return t('query.noJson', { line: line ?? 1, column: column ?? 1 })
}

/** As a new one, or in the place of the one that was opened. */
function Keep({ saved, text, usual }: { saved: SavedView | null; text: string; usual: string }) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const navigate = useNavigate()
  const [name, setName] = useState(saved?.name ?? '')
  const called = name.trim() === '' ? usual : name.trim()
  const keep = useMutation({
    mutationFn: () => {
      const message = { kind: 'query' as const, name: called, text }
      return saved === null
        ? station('POST /saved-queries', { body: message })
        : station('PATCH /saved-queries/{id}', { params: { id: saved.id }, body: message })
    },
    onSuccess: async ({ id }) => {
      tell(t('saved'))
      await client.invalidateQueries({ queryKey: ['saved'] })
      await navigate({ to: '/queries/new', search: { saved: String(id) } as never, replace: true })
    },
  })
  return (
    <div className="form inline">
      <Field label={t('people.name')} value={name} onChange={setName} placeholder={usual} />
      <Button isDisabled={called === '' || keep.isPending} onPress={() => keep.mutate()}>
        {saved === null ? t('query.keep') : t('save')}
      </Button>
      <Failure error={keep.error} />
    </div>
  )
}
