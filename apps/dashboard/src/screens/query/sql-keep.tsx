/** SQL to save, and the address that opens it again. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { useStation } from '../../api/use-station.ts'
import { station } from '../../api/station.ts'
import { CopyBox } from '../../components/copy-box.tsx'
import { Failure } from '../../components/failure.tsx'
import { Field } from '../../components/field.tsx'
import { tell } from '../../components/frame/toast-store.ts'
import { useMe } from '../../auth/use-me.ts'
import { fragmentOf } from './sql-words.ts'

interface SqlKeepProps {
  sql: string
  /** The number of the saved one that was opened. */
  saved: string | null
}

export function SqlKeep({ sql, saved }: SqlKeepProps) {
  const { t } = useTranslation()
  const { may } = useMe()
  const address = `${location.origin}/sql#${fragmentOf(sql)}`
  return (
    <details>
      <summary>{t('sql.keepOrShare')}</summary>
      {may('queries:run') ? <Keep key={saved} sql={sql} saved={saved} /> : null}
      <p className="quiet">{t('sql.shareNote')}</p>
      <CopyBox text={address} label={t('sql.share')} />
    </details>
  )
}

function Keep({ sql, saved }: SqlKeepProps) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const navigate = useNavigate()
  const opened = useStation(['saved', saved], 'GET /saved-queries/{id}', {
    params: { id: saved! },
    enabled: saved !== null,
  })
  const [typed, setTyped] = useState<string | null>(null)
  const name = (typed ?? opened.data?.name ?? '').trim()
  const keep = useMutation({
    mutationFn: (id: number | null) => {
      const message = { kind: 'sql' as const, name, text: sql }
      return id === null
        ? station('POST /saved-queries', { body: message })
        : station('PATCH /saved-queries/{id}', { params: { id }, body: message })
    },
    onSuccess: async ({ id }) => {
      tell(t('saved'))
      await client.invalidateQueries({ queryKey: ['saved'] })
      await navigate({
        to: '/sql',
        search: { saved: String(id) } as never,
        hash: fragmentOf(sql),
        replace: true,
      })
    },
  })
  const isDisabled = name === '' || sql.trim() === '' || keep.isPending
  return (
    <div className="form inline">
      <Field
        label={t('people.name')}
        value={typed ?? opened.data?.name ?? ''}
        onChange={setTyped}
      />
      {opened.data === undefined ? null : (
        <Button isDisabled={isDisabled} onPress={() => keep.mutate(opened.data.id)}>
          {t('save')}
        </Button>
      )}
      <Button isDisabled={isDisabled} onPress={() => keep.mutate(null)}>
        {t('query.keep')}
      </Button>
      <Failure error={keep.error} />
    </div>
  )
}
