/** Pause, resume, cancel. Cancelling cannot be taken back, so it asks first; the station's own
 * collections only rest. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import type { Collection } from '../api/api-types.ts'
import { changeCollection, type Verb } from '../api/client.ts'
import { useMe } from '../people/use-me.ts'
import { ConfirmButton } from './confirm-button.tsx'
import { Failure } from './failure.tsx'

export function CollectionActions({ collection }: { collection: Collection }) {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const { may } = useMe()
  const change = useMutation({
    mutationFn: (verb: Verb) => changeCollection(collection.id, verb),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['live'] }),
  })
  const { state, spec } = collection
  if (!may('collections:write') || state === 'finished' || state === 'cancelled') return null
  return (
    <div className="actions">
      {state === 'running' ? (
        <Button isDisabled={change.isPending} onPress={() => change.mutate('pause')}>
          {t('collection.pause')}
        </Button>
      ) : (
        <Button
          className="primary"
          isDisabled={change.isPending}
          onPress={() => change.mutate('resume')}
        >
          {t('collection.resume')}
        </Button>
      )}
      {spec.kind === 'crawl' ? (
        <ConfirmButton
          label={t('collection.cancel')}
          title={t('collection.cancelTitle')}
          text={t('collection.cancelText')}
          yes={t('collection.cancelYes')}
          no={t('collection.cancelNo')}
          onConfirm={() => change.mutate('cancel')}
        />
      ) : null}
      <Failure error={change.error} />
    </div>
  )
}
